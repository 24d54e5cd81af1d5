"""The Chinese catalogue: Chinese sentences by the English ones, with the same names in braces."""

from __future__ import annotations

__all__ = ["TEXTS"]

FOOTERS = {
    "{count} query": "{count} 个查询",
    "{count} queries": "{count} 个查询",
    "{count} missing query {rule}": "run 里缺 {count} 个查询，{rule}",
    "{count} missing queries {rule}": "run 里缺 {count} 个查询，{rule}",
    "{count} unjudged query ignored": "{count} 个查询没有判断，不计入",
    "{count} unjudged queries ignored": "{count} 个查询没有判断，不计入",
    "{count} query without relevant documents {rule}": "{count} 个查询没有相关文档，{rule}",
    "{count} queries without relevant documents {rule}": "{count} 个查询没有相关文档，{rule}",
    "{count} query without {wanted} {rule} ({labels})": "{count} 个查询没有{wanted}的文档，{rule}（{labels}）",
    "{count} queries without {wanted} {rule} ({labels})": "{count} 个查询没有{wanted}的文档，{rule}（{labels}）",
    "a positive gain": "增益为正",
    "grade {grade} or more": "等级不低于 {grade}",
    "counted as 0": "按 0 计",
    "counted as 1": "按 1 计",
    "undefined": "无定义",
    "skipped": "跳过",
    "refused": "不接受",
    "no judged document retrieved": "没有检索到任何判断过的文档",
    "no relevant document retrieved": "没有检索到任何相关文档",
    "no value of {labels}": "{labels} 没有值",
    "ties touch {count} query{moved}": "同分涉及 {count} 个查询{moved}",
    "ties touch {count} queries{moved}": "同分涉及 {count} 个查询{moved}",
    "mean over a sample of their orders ({label} ± {error})": "对同分次序抽样求平均（{label} ± {error}）",
    "weighted mean ({labels})": "加权平均（{labels}）",
    "{count} duplicate dropped": "去掉 {count} 个重复文档",
    "{count} duplicates dropped": "去掉 {count} 个重复文档",
    "{count} document excluded": "排除 {count} 个文档",
    "{count} documents excluded": "排除 {count} 个文档",
    "{count} malformed line skipped": "跳过 {count} 行格式有误的内容",
    "{count} malformed lines skipped": "跳过 {count} 行格式有误的内容",
    "{count} negative grade {rule}": "{count} 个负的等级当作{rule}",
    "{count} negative grades {rule}": "{count} 个负的等级当作{rule}",
    "unjudged": "未判断",
    "nonrelevant": "不相关",
    "profile {name}, policy {policy}": "约定 {name}，策略 {policy}",
    "profile {name}, changed: {changes}": "约定 {name}，改动：{changes}",
    "profile {name}": "约定 {name}",
    "policy {policy}": "策略 {policy}",
    "{label} is {measure}": "{label} 即 {measure}",
    "nothing else": "别无其他",
    "all {count} runs: {parts}": "全部 {count} 个 run：{parts}",
    "and {count} more runs, each with other counts: see the JSON output": (
        "另有 {count} 个 run，各不相同：JSON 中有全部"
    ),
}

EXPLANATIONS = {
    "{label} of query {query}": "查询 {query} 的 {label}",
    "In full: {name}": "全名：{name}",
    "Numbers of the query": "查询的几个数",
    "Steps to the value": "逐步求值",
    "Ranked list": "排序列表",
    "Ranked list down to rank {depth}": "排序列表，到第 {depth} 名为止",
    "rank": "名次",
    "document": "文档",
    "score": "得分",
    "grade": "等级",
    "step": "步骤",
    "in numbers": "代入数值",
    "value": "值",
    "No document was retrieved.": "没有检索到文档。",
    " {dot} is an unjudged document.": " {dot} 表示未判断的文档。",
    "{said}.{dots}": "{said}。{dots}",
    "{kept} of {length} documents are shown": "{length} 个文档中显示了 {kept} 个",
    "{said}; of the {others} others {judged} is judged.{dots}": (
        "{said}；其余 {others} 个中有 {judged} 个判断过。{dots}"
    ),
    "{said}; of the {others} others {judged} are judged.{dots}": (
        "{said}；其余 {others} 个中有 {judged} 个判断过。{dots}"
    ),
    "{said}; of the {others} others none is judged.{dots}": "{said}；其余 {others} 个都没有判断过。{dots}",
}

WORDS = {
    "The sum over the documents above each one.": "排在该文档前面的各文档之和。",
    "1 where rows reaches bound, else 0.": "rows 不小于 bound 时为 1，否则为 0。",
    "The largest value of each list; 0 for an empty list.": "列表里最大的值；空列表为 0。",
    "1 at the last row of each stretch of equal values, else 0.": "一段相等的值里，最后一行为 1，其余为 0。",
    "The depth of the cut; without one, how many documents were retrieved.": (
        "截断深度，即要看多少个文档；不截断时等于检索到的文档数。"
    ),
    "The divisor of each gain.": "折损（折扣）：每个增益要除以的数，名次越靠后越大。",
    "1 where values is above bound, else 0.": "values 大于 bound 时为 1，否则为 0。",
    "The value of the next row of the list; NaN at its end.": "列表下一行的值；到末尾没有值（NaN）。",
    "The gain of each document's grade; 0 for an unjudged document.": (
        "增益：由等级换算出的文档价值；未判断的文档为 0。"
    ),
    "The grade of each document; -1 if it was never pooled, -2 if pooled but left unjudged.": (
        "文档的等级；从未入池的为 -1，入了池而未判断的为 -2。"
    ),
    "The largest grade of the query's judgments; 0 without any.": "该查询的判断中最高的等级；没有判断则为 0。",
    "1 for a document whose grade is at least rel, else 0.": "等级不低于 rel 的文档（相关文档）为 1，否则为 0。",
    "The last rank that a user may look at: the depth, or infinity without a cut.": (
        "用户最多看到第几名，即截断深度；不截断时没有尽头，为无穷大。"
    ),
    "The ideal ranking: all documents with a positive gain, highest gain first.": (
        "理想排序：所有增益为正的文档，从高到低排列。"
    ),
    "1 for a judged document, else 0. A negative grade means pooled but not judged.": (
        "判断过的文档为 1，否则为 0。等级为负，表示入了池而未判断。"
    ),
    "At each rank, the value of the document, among those down to this rank, that the run lists last.": (
        "到该文档为止，run 里列在最后的那个文档的值。"
    ),
    "The smaller of two numbers, element by element.": "两个数中较小的一个，逐位比较。",
    "How many documents were retrieved (within the depth, if there is one).": (
        "检索到多少个文档（有截断深度时，只算深度以内的）。"
    ),
    "The line of each document in the run, from 1; its rank if the policy says listing=ignored.": (
        "文档在 run 里列在第几行，从 1 起；策略不看行序（listing=ignored）时就是名次。"
    ),
    "The natural logarithm.": "自然对数。",
    "The logarithm to base 2.": "以 2 为底的对数。",
    "1 for a document that was judged, with a grade below rel, else 0.": (
        "判断过而等级低于 rel 的文档（不相关文档）为 1，否则为 0。"
    ),
    "The larger of two numbers, element by element.": "两个数中较大的一个，逐位比较。",
    "How many judgments of the query have a grade in [lowest, below), retrieved or not.": (
        "该查询的判断中，等级在 [lowest, below) 内的有多少个，不论是否检索到。"
    ),
    "How many judgments have a grade from 0 up to below rel.": (
        "等级低于 rel 的判断有多少个（负的等级不算判断）。"
    ),
    "How many judgments have a grade of at least rel.": "等级不低于 rel 的判断有多少个，即相关文档总数。",
    "values where where is positive, else otherwise, even if values is undefined there.": (
        "where 为正处取 values，别处取 otherwise。"
    ),
    "How many documents below each one have a smaller value, or an equal value and a smaller then.": (
        "排在该文档后面的文档中，有多少个的值更小，或者值相等而 then 更小。"
    ),
    "1 for a document that was pooled but left unjudged (a negative grade), else 0.": (
        "入了池而未判断的文档（等级为负）为 1，否则为 0。"
    ),
    "The powers of base with these whole exponents.": "base 的整数次幂。",
    "The product over the documents above each one; 1 at rank 1.": (
        "排在该文档前面的各文档之积；第 1 名为 1。"
    ),
    "The rank of each document, from 1.": "文档的名次，从 1 起。",
    "part / whole, or 0 if whole is 0.": "part / whole；whole 为 0 时取 0。",
    "The sum of 1 / m^power for m = first, first + 1, … up to last, row by row or query by query.": (
        "m 从 first 起每次加 1，直到 last，把 1 / m^power 加起来。"
    ),
    "The sum from rank 1 down to and including each document.": "从第 1 名加到该文档，连它自己在内。",
    "The sum of another list's rows from its rank 1 down to the rank of each document of this one.": (
        "把另一个列表从第 1 名加到本列表中该文档的名次。"
    ),
    "The divisor of a sum over relevant documents.": "对相关文档求和后要除以的数。",
    "The share of users that each document satisfies: its gain / (the gain of grade highest + 1).": (
        "看了该文档就满意的用户占多大比例：增益 /（最高等级的增益 + 1）。"
    ),
    "The mean of the ranks that share the document's score; its own rank if no other document shares it.": (
        "与该文档同分的各名次的平均；没有同分的，就是它的名次。"
    ),
    "The same lists cut at depth; judgments are never cut.": "同样的列表，截到 depth 为止；判断从不截断。",
    "The sum over each list, added up from rank 1.": "整个列表之和，从第 1 名往下加。",
    "The sum of p^(rank - 1) over the unjudged documents of each list.": (
        "对列表里未判断的文档，把 p^(名次 - 1) 加起来。"
    ),
    "Gains from 0 to 1.": "0 到 1 之间的增益。",
    "A whole number of documents: nearest (halves up), or up (a fraction above a tenth counts as 1).": (
        "取整为文档个数：nearest 四舍五入，up 超过十分之一就进位。"
    ),
    "1 for a document at rank n or better, else 0.": "名次不低于 n（排在前 n 名）的文档为 1，否则为 0。",
}

MEASURES = {
    "AP": "各相关文档所在名次的精确率，求平均（平均精度）。",
    "MeanP": "第 1 名到第 k 名的精确率，不论各名次是什么文档，求平均。",
    "ListedAP": "某一名次的文档若是到此为止 run 里列在最后的，而且相关，就计入该名次的精确率。",
    "GMAP": "平均精度，但对查询取几何平均：效果差的查询影响更大。",
    "Q": "用分级增益的平均精度：各相关文档所在名次的混合比，求平均。",
    "infAP": "由池的一个样本推断出的平均精度。",
    "Bpref": "判断为不相关的文档有多少不排在相关文档前面；未判断的文档不算。",
    "GMBpref": "Bpref，但对查询取几何平均。",
    "IPrec": "相关文档找到给定的比例之后，各名次精确率中最大的一个。",
    "IPrecMean": "0 到 1 的 11 个召回率点上插值精确率的平均。",
    "YAAP": "平均精度的对数几率，两边各加一个相关文档。",
    "RR": "1 / 第一个相关文档的名次；没有则为 0（倒数排名）。",
    "ERR": "每个文档让看到它的用户按一定比例满意而停下，停下处名次的倒数的期望。",
    "nERR": "ERR 占理想排序的 ERR 的比例；没有增益为正的文档时为 0。",
    "RBP": "用户以概率 p 接着看下一个文档，平均每看一个文档得到的增益。",
    "RBPresid": "假如未判断的文档和列表以外的文档都相关，RBP 最多还能增加多少。",
    "INSQ": "用户要找 T 个相关文档，越往后越愿意看下去；平均每看一个文档得到的增益。",
    "INST": "用户要找 T 个相关文档，找到越多越早停下；平均每看一个文档得到的增益。",
    "BPM": "用户得到 T 的增益或看完 K 个文档就停下；平均每看一个文档得到的增益。",
    "NumQ": "评了多少个查询：每个算 1。",
    "NumRet": "检索到多少个文档。",
    "NumRel": "判断为相关的文档有多少个，不论是否检索到。",
    "NumRelRet": "检索到多少个相关文档。",
    "NumNonRelRet": "检索到多少个判断为不相关的文档。",
    "P": "前 k 个文档里相关文档占多大比例（精确率）。",
    "R": "相关文档有多大比例排进了前 k 个（召回率）。",
    "F": "前 k 个文档的精确率与召回率的调和平均，召回率的权重是 beta 的平方。",
    "E": "1 减 F：前 k 个文档的精确率和召回率还差多少；越小越好。",
    "Success": "前 k 个文档里有相关文档就是 1，没有就是 0（命中率）。",
    "Rprec": "第 R 名处的精确率，R 是相关文档的总数。",
    "SetP": "检索到的全部文档里相关文档占多大比例，不看次序。",
    "SetAP": "检索到的集合的精确率乘以召回率：不看次序的平均精度。",
    "SetF": "检索到的集合的精确率与召回率的加权调和平均。",
    "Utility": "检索到的集合的价值：相关的每个 a，其他的每个 b，没检索到的分别按 c 和 d 计。",
    "Unjudged": "前 k 个名次里未判断的文档占多大比例；列表以外的名次不算。",
    "Judged": "前 k 个文档里判断过的占多大比例。",
    "alphaDCG": "对文档和子主题求和：(1 - alpha)^(该子主题前面已有的相关文档数) / 折损。",
    "alphanDCG": "alphaDCG 占最好列表的比例，最好列表用贪心法找；没有相关文档时为 0。",
    "ERRIA": "各子主题的用户停下处名次的倒数的期望，再对子主题求平均。",
    "nERRIA": "ERRIA 占最好列表的比例，最好列表用贪心法找；没有相关文档时为 0。",
    "NRBP": "对文档和子主题求和：(1 - alpha)^(前面的相关文档数) × beta^(名次 - 1)，化到 0 至 1。",
    "nNRBP": "NRBP 占最好列表的比例，最好列表用贪心法找；没有相关文档时为 0。",
    "PIA": "按每个子主题的判断算精确率，再对有相关文档的子主题求平均。",
    "APIA": "按每个子主题的判断算平均精度，再对有相关文档的子主题求平均。",
    "SRecall": "有相关文档的子主题中，前 k 个文档覆盖了多大比例。",
    "CoverageRatio": "用户已知的相关文档找到了多大比例。",
    "NoveltyRatio": "找到的相关文档里，用户原先不知道的占多大比例。",
    "RelativeRecall": "用户要的相关文档找到了多大比例；够数就是 1。",
    "RecallEffort": "用户要的相关文档数 / 找够这些文档时的名次。",
    "CG": "前 k 个文档的增益之和（累计增益）。",
    "nCG": "CG 占理想排序的 CG 的比例；没有增益为正的文档时为 0。",
    "DCG": "各文档的增益除以随名次增大的折损，再求和（折损累计增益，也叫折扣累积增益）。",
    "IDCG": "理想排序的 DCG。",
    "nDCG": "DCG 占理想排序的 DCG 的比例（归一化折损累计增益）。",
    "SDCG": "DCG 占 k 个最高等级文档之 DCG 的比例，不管有没有那么多这样的文档。",
    "nDCGrel": "每个增益为正的文档处的 nDCG 的平均；没检索到的按整个列表的算。",
    "RnDCG": "在理想排序的增益下降的各名次上，nDCG 的平均：分级的 R-precision。",
    "G": "增益之和，不按名次打折，而按列表比理想排序少得了多少打折。",
    "binG": "对相关文档求 1 / log2(2 + 前面的其他文档数) 的平均。",
    "AUC": "列表中每一对“相关文档与其他文档”，排对的占多大比例。",
    "GAUC": "AUC，求平均时各查询权重不同，没有这种文档对的查询不算。",
    "ListedAUC": "列表中的所有文档对，排对的占多大比例；等级相等的看 run 里的行序。",
    "PartialAUC": "到出现 n 个其他文档为止，相关文档对其他文档的曲线下面积，全部为 1。",
    "GroupAP": "按每组判断算平均精度，再对查询的各组求平均。",
    "GroupP": "按每组判断算精确率，再对查询的各组求平均。",
    "GroupRprec": "按每组判断算 R-precision，再对查询的各组求平均。",
    "NumPrefs": "判断里有多少个偏好。",
    "NumPrefsKept": "列表满足多少个偏好：偏好的文档检索到了，另一个在它后面，或者没检索到。",
    "Prefs": "各组的偏好合在一起，列表满足了多大比例。",
    "PrefsPair": "对每一对文档，求与列表次序一致的组所占的比例，再求平均。",
    "PrefsMean": "列表满足的偏好所占的比例，再对各判断组求平均。",
}
"""By measure, since a sentence belongs to its definition."""

FACTS = {
    "{name}: {retrieved} retrieved, {judged} of them judged. {of}: {known}, {relevant} of them relevant ({wanted}).": (
        "{name}：检索到 {retrieved}，其中 {judged} 个判断过。{of}：{known}，其中 {relevant} 个相关（{wanted}）。"
    ),
    "{name}: {documents} in rank order, {relevant} of them relevant ({wanted}).": (
        "{name}：按名次排好的 {documents}，其中 {relevant} 个相关（{wanted}）。"
    ),
    "The run": "run",
    "The query": "该查询",
    "{count} document": "{count} 个文档",
    "{count} documents": "{count} 个文档",
    "{count} judgment": "{count} 个判断",
    "{count} judgments": "{count} 个判断",
    "The run does not mention this query: the list is empty.": "run 里没有这个查询：列表是空的。",
    "their document ids decide, descending by bytes": "按文档号的字节降序",
    "their document ids decide, ascending by bytes": "按文档号的字节升序",
    "the order of the run's lines decides": "按 run 里的行序",
    "the run's rank column decides": "按 run 的名次列",
    "they stand in their best order": "取最好的次序",
    "they stand in their worst order": "取最坏的次序",
    "every order counts alike": "各种次序同等看待",
    "Equal scores at ranks {ranks} touch judged documents: {order} (ties={ties}).{moved}": (
        "第 {ranks} 名同分，涉及判断过的文档：{order}（ties={ties}）。{moved}"
    ),
    " and {count} more": " 等（另有 {count} 处）",
    " No order of them changes the value.": "不论怎么排，值都不变。",
    " Their worst and best order give {low} and {high}.": "最坏和最好的次序分别得 {low} 和 {high}。",
    "{count} line of the run dropped for a document listed before or after (duplicates={rule}).": (
        "run 里有 {count} 行因文档重复而去掉（duplicates={rule}）。"
    ),
    "{count} lines of the run dropped for a document listed before or after (duplicates={rule}).": (
        "run 里有 {count} 行因文档重复而去掉（duplicates={rule}）。"
    ),
    "{count} negative grade taken as {rule} (negative={rule}).": (
        "{count} 个负的等级按 {rule} 处理（negative={rule}）。"
    ),
    "{count} negative grades taken as {rule} (negative={rule}).": (
        "{count} 个负的等级按 {rule} 处理（negative={rule}）。"
    ),
    "Unjudged documents were removed before ranks were counted (unjudged=removed).": (
        "先去掉未判断的文档，再排名次（unjudged=removed）。"
    ),
    "Only judgments of retrieved documents are known (judgments=retrieved).": (
        "只知道检索到的文档的判断（judgments=retrieved）。"
    ),
    "Only the first document of the list is looked at (depth={depth}).": "只看列表的第一个文档（depth={depth}）。",
    "The first {depth} documents of the list are looked at (depth={depth}).": (
        "只看列表的前 {depth} 个文档（depth={depth}）。"
    ),
    "The formula is not used: the value of a missing query is undefined (missing=nan).": (
        "不用公式：缺失的查询没有定义（missing=nan）。"
    ),
    "The formula is not used: without a relevant document the value is {meaning} (empty={rule}).": (
        "不用公式：没有相关文档时，值为 {meaning}（empty={rule}）。"
    ),
    "The value is the mean over the orders of documents with equal scores (ties={ties}). One of these orders is "
    "worked through below; alone it gives {derived}.": (
        "值是同分文档各种次序的平均（ties={ties}）。下面推导其中一种次序，单独算得 {derived}。"
    ),
}

TEXTS = {**FOOTERS, **EXPLANATIONS, **WORDS, **FACTS}
