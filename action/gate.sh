#!/usr/bin/env bash
# Runs carob gate with the inputs of action.yml, and replaces the comment of an earlier run on the pull request.
set -euo pipefail

command -v carob >/dev/null || python3 -m pip install --quiet "$GITHUB_ACTION_PATH"

comment="${RUNNER_TEMP:-/tmp}/carob-comment.md"
rm -f "$comment"
options=(--comment "$comment")
if [ -n "$CAROB_BASELINE" ]; then
  options+=(--baseline "$CAROB_BASELINE")
  # In a clone without history, every file seems to be as old as the last commit.
  if [ "$(git rev-parse --is-shallow-repository 2>/dev/null)" = false ]; then
    made="$(git log -1 --format=%cs -- "$CAROB_BASELINE" 2>/dev/null || true)"
    [ -z "$made" ] || options+=(--baseline-date "$made")
  fi
fi
set -f # a measure such as nDCG@* is no pattern of files
for each in $CAROB_MAX_DROP; do options+=(--max-drop "$each"); done
for each in $CAROB_MIN; do options+=(--min "$each"); done
set +f
[ -z "$CAROB_DECIDE_BY" ] || options+=(--decide-by "$CAROB_DECIDE_BY")

status=0
carob gate "${options[@]}" -- "$CAROB_QRELS" "$CAROB_RUN" || status=$?
case $status in 0) verdict=passed ;; 1) verdict=failed ;; *) verdict=undecided ;; esac
if [ ! -s "$comment" ]; then
  printf '<!-- carob gate -->\n**gate undecided: no verdict**\n\nThe log of the job has the reason.\n' >"$comment"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  printf 'verdict=%s\ncomment-file=%s\n' "$verdict" "$comment" >>"$GITHUB_OUTPUT"
fi
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$comment" >>"$GITHUB_STEP_SUMMARY"

if [ "$CAROB_COMMENT" = true ] && [ -n "${CAROB_PULL:-}" ]; then
  comments="repos/$GITHUB_REPOSITORY/issues/$CAROB_PULL/comments"
  # Anybody can write the mark, so only a comment of a bot is replaced.
  mine='.[] | select(.user.type == "Bot" and (.body | startswith("<!-- carob gate -->"))) | .id'
  earlier="$(gh api --paginate "$comments" --jq "$mine" | head -n 1 || true)"
  if [ -n "$earlier" ]; then
    gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$earlier" --field "body=@$comment" >/dev/null
  else
    gh api --method POST "$comments" --field "body=@$comment" >/dev/null
  fi || echo "::warning title=carob gate::The comment could not be written: the job needs pull-requests: write."
fi
exit "$status"
