// Texts written in graded difficulty, level 1 (a picture book) to 5 (a specialist's paper), and everyday sentences that
// tell common words from rare ones.
#pragma once

namespace sz::scorers {

struct GradedText {
  int level;
  const char* text;
};

inline constexpr GradedText kGradedEnglish[] = {
    {1, "I have a dog. He is big. He runs to me and I run to him. We go home."},
    {1, "This is my house. I live here with my mother. She is good to me. I like my house."},
    {1, "The cat sat down. It saw a bird. The bird went up. The cat did not get it."},
    {2, "On Sunday we went to the park. My sister brought a red ball, and we played with it until it was time for "
        "lunch."},
    {2, "My father works in a small shop. He sells bread and milk to people who live near us, and he comes home at "
        "six."},
    {2, "It rained all day, so we stayed inside. I read a book about horses while my brother painted a picture of "
        "the sea."},
    {3, "When the train finally arrived, the passengers who had waited in the cold hurried aboard, hoping that the "
        "heating "
        "would be working. The driver apologised and explained that snow had blocked the line."},
    {3, "Many families keep a vegetable garden because fresh food tastes better, although the work takes more time "
        "than "
        "they expect. Growing beans is easy if the soil stays wet and the weather is warm."},
    {3, "The village school closed last year after the number of pupils fell below twenty. Parents now drive their "
        "children to the nearest town, which costs money that some of them can hardly spare."},
    {4, "Although the committee acknowledged that the proposed regulations would impose considerable costs on small "
        "manufacturers, it concluded that the long-term benefits for public health, which several independent studies "
        "had documented, outweighed any temporary disruption of the market."},
    {4, "Historians who have examined the correspondence between the two governments argue that neither side "
        "anticipated "
        "how rapidly a dispute over fishing rights would escalate, because both had misjudged the domestic pressures "
        "that constrained their rivals."},
    {4, "Critics of the architect's later buildings complain that, while their geometry is undeniably ingenious, the "
        "interiors neglect the comfort of those who must occupy them, a reproach that his admirers dismiss as "
        "nostalgia for conventional ornament."},
    {5, "Notwithstanding the ostensible equivalence of the two formulations, the variational approximation, whose "
        "factorised posterior systematically underestimates covariance between latent parameters, engenders "
        "miscalibrated predictive intervals that asymptotic arguments, predicated upon regularity conditions seldom "
        "satisfied by overparameterised architectures, fail to rectify."},
    {5, "Phosphorylation of the cytoplasmic domain, which precipitates a conformational rearrangement exposing "
        "otherwise "
        "occluded binding epitopes, recruits adaptor proteins whose stoichiometry, modulated by antagonistic "
        "phosphatases, determines whether downstream transcriptional cascades culminate in proliferation or "
        "apoptosis."},
    {5, "The appellant's contention that equitable estoppel precludes rescission, inasmuch as the respondent "
        "acquiesced in "
        "detrimental reliance upon representations which it had tacitly ratified, presupposes a fiduciary "
        "relationship that the tribunal, construing the indemnification covenant restrictively, declined to infer."},
};

inline constexpr GradedText kGradedChinese[] = {
    {1, "我有一个妈妈。我爱妈妈。妈妈也爱我。"},
    {1, "天上有鸟。鸟很小。我看见鸟了。"},
    {1, "这是我的家。我们都在家。家里很好。"},
    {2, "星期天我和朋友去公园玩。我们带了一个球，玩到吃饭的时候才回家。"},
    {2, "我爸爸在商店里工作。他每天早上出门，晚上六点回来，回来以后给我们做饭。"},
    {2, "今天下雨了，我们没有出去。我在房间里看书，弟弟在旁边画画。"},
    {3, "火车终于到站的时候，在寒风里等了很久的乘客都急忙上车，希望车厢里会暖和一些。列车员向大家道歉，说是大雪堵住了铁路。"},
    {3, "很多家庭喜欢自己种菜，因为新鲜的蔬菜味道更好，不过花费的时间往往比想象的要多。只要土壤湿润，豆角就很容易长大。"},
    {3, "村里的小学去年关闭了，因为学生的人数已经不到二十个。现在家长们要开车把孩子送到附近的镇上，路费让一些家庭感到为难。"},
    {4, "尽管委员会承认拟议中的法规将给小型制造企业带来相当沉重的负担，但它最终认定，多项独立研究所证实的、对公众健康的长期益处，足以抵消市场可能出现的短暂混乱。"},
    {4, "研究过两国政府往来信函的历史学家认为，双方都没有预料到围绕捕鱼权的争端会如此迅速地升级，因为他们都低估了制约对手的国内压力。"},
    {4, "批评者指出，这位建筑师晚期作品的几何构造固然精巧，却忽视了居住者的舒适，而他的崇拜者则把这种指责斥为对传统装饰的怀旧情绪。"},
    {5, "尽管两种表述在形式上等价，变分近似所采用的因子化后验分布系统性地低估隐变量之间的协方差，从而导致预测区间失准，而以过参数化架构鲜能满足的正则性条件为前提的渐近论证，对此亦无从补救。"},
    {5, "胞质结构域的磷酸化诱发构象重排，暴露出原本被遮蔽的结合表位，进而招募衔接蛋白，其化学计量比受拮抗性磷酸酶调控，决定下游转录级联反应究竟导向细胞增殖抑或凋亡。"},
    {5, "上诉人援引衡平法上禁止反言之原则，主张被上诉人既已默示追认其陈述并致使善意信赖方蒙受损害，即不得撤销契约，惟合议庭对赔偿条款作限缩解释，拒绝据以推定双方存有信托关系。"},
};

inline constexpr const char* kEverydayEnglish[] = {
    "I like to go out when the sun is up.", "We have a big house and a small dog.",
    "My mother said that I can go home now.", "He did not see the bird that sat on the roof.",
    "She works in a shop and comes home at five.", "It is cold today, so we stay at home and read a book.",
    "They went to the park to play with a ball.", "What time do you get up in the morning?",
    "The people who live here are good to us.", "My brother and my sister run to school every day.",
    "I saw a cat and a horse near the sea.", "Please give me some bread and milk for lunch.",
    "The train was late, and we had to wait in the cold.", "This is a good day to work in the garden.",
    "He wants to buy a red car, but it costs too much money.", "When it rained, all of us went inside.",
    "The children in the village go to a small school.", "She was happy because her father came back.",
    "Do you know how much this book costs?", "We can not find the way to the town.",
    "I think that the weather will be warm on Sunday.", "He told me about his work and his family.",
    "The food was fresh, and it tasted very good.", "You have to take more time if you want to do it well.",
    "Many people here keep a dog or a cat.", "Last year we had snow for two weeks.",
    "The number of people in this town fell again.", "After lunch they sat down and played for an hour.",
    "It takes me ten minutes to drive to work.", "I hope that you like the picture.",
};

inline constexpr const char* kEverydayChinese[] = {
    "今天天气很好，我们去公园玩。", "我有一个弟弟，他很小。", "妈妈说我可以回家了。", "他没有看见那只鸟。",
    "她在商店工作，五点回家。", "今天很冷，我们在家里看书。", "他们去公园玩球。", "你每天早上几点起来？",
    "这里的人都很好。", "我和朋友一起去学校。", "我看见一只猫和一只狗。", "请给我一些吃的。",
    "火车来晚了，我们等了很久。", "今天是个好日子。", "他想买一辆车，可是太贵了。", "下雨的时候，大家都在房间里。",
    "村里的孩子在小学上学。", "爸爸回来了，她很高兴。", "你知道这本书多少钱吗？", "我们找不到去镇上的路。",
    "我觉得星期天会很暖和。", "他给我说了他的工作和家庭。", "菜很新鲜，味道也很好。", "要做好这件事，就要多花一些时间。",
    "很多人喜欢在家里画画。", "去年下了很大的雪。", "这里的人数又少了。", "吃饭以后，他们玩了一会儿。",
    "我每天开车去工作，要十分钟。", "希望你喜欢我画的画。",
};

}  // namespace sz::scorers
