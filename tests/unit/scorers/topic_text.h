// Texts on one topic (cooking) and on others, in both languages; the concepts are not among them.
#pragma once

namespace sz::scorers {

inline constexpr const char* kConceptsEnglish[] = {
    "Cooking a meal in the kitchen.", "A recipe with ingredients and steps.", "Baking bread and cakes in the oven.",
    "The taste of food."};
inline constexpr const char* kConceptsChinese[] = {"在厨房里做饭。", "有食材和步骤的菜谱。", "用烤箱烤面包和蛋糕。",
                                                   "食物的味道。"};

inline constexpr const char* kOnTopicEnglish[] = {
    "Fry the onions in butter until they turn golden, then add the chopped garlic.",
    "She kneaded the dough for ten minutes and left it to rise under a towel.",
    "A pinch of salt brings out the sweetness of the tomatoes in this soup.",
    "Boil the potatoes, mash them with warm milk and season with pepper.",
    "The chef sliced the fish thinly and served it with rice and soy sauce.",
    "Roast the chicken for an hour and baste it with its own juices.",
    "Whisk the eggs and sugar together before you fold in the flour.",
    "Simmer the beef stew on a low heat until the meat is tender.",
    "My grandmother's noodle soup needs ginger, spring onions and a slow-cooked broth.",
    "Cover the pan, turn down the stove and let the vegetables steam.",
    "The cake burned because the oven was far too hot.",
    "Fresh basil and olive oil make a simple sauce for pasta.",
};
inline constexpr const char* kOffTopicEnglish[] = {
    "The parliament voted to raise the tax on corporate profits next year.",
    "Astronomers detected a planet orbiting a star forty light years away.",
    "The striker scored twice in the final minutes of the match.",
    "A new version of the compiler optimises loops more aggressively.",
    "The earthquake destroyed several bridges along the coast.",
    "He repaired the engine of the old motorcycle with a wrench.",
    "The court dismissed the lawsuit against the insurance company.",
    "Share prices fell after the central bank raised interest rates.",
    "The orchestra rehearsed the second movement of the symphony.",
    "Tourists climbed the stairs of the medieval tower.",
    "The nurse measured the patient's blood pressure twice a day.",
    "Electric trains replaced the diesel locomotives on this line.",
};
inline constexpr const char* kOnTopicChinese[] = {
    "把洋葱放进黄油里炒到金黄，再加入切碎的大蒜。", "她揉了十分钟面团，盖上毛巾等它发酵。",
    "在这道汤里放一点盐，可以让番茄更甜。",         "把土豆煮熟，加热牛奶捣成泥，再撒上胡椒。",
    "厨师把鱼切成薄片，配上米饭和酱油。",           "把鸡放进烤箱烤一个小时，不时浇上肉汁。",
    "先把鸡蛋和糖打匀，然后再拌入面粉。",           "用小火慢慢炖牛肉，直到肉变得软烂。",
    "奶奶做的面条汤要放姜、葱和慢慢熬的高汤。",     "盖上锅盖，把火关小，让蔬菜在锅里焖熟。",
    "红烧肉要先炒糖色，再加酱油和料酒。",           "饺子馅里放一点香油，味道会更香。",
};
inline constexpr const char* kOffTopicChinese[] = {
    "议会投票决定明年提高企业所得税。",       "天文学家发现了一颗距离我们四十光年的行星。",
    "前锋在比赛的最后几分钟连进两球。",       "新版本的编译器能更好地优化循环。",
    "地震摧毁了沿海的几座大桥。",             "他用扳手修好了那辆旧摩托车的发动机。",
    "法院驳回了对保险公司的诉讼。",           "央行加息以后，股票价格大幅下跌。",
    "乐团正在排练交响曲的第二乐章。",         "游客们爬上了中世纪塔楼的台阶。",
    "护士每天给病人量两次血压。",             "这条铁路上的内燃机车已经换成了电力机车。",
};

}  // namespace sz::scorers
