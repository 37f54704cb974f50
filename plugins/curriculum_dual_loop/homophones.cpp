#include "homophones.h"

#include <map>

namespace curriculum {
namespace {

struct Row {
  const char* pinyin;
  const char* characters;  // UTF-8, three bytes each
};

constexpr Row kSounds[] = {
    {"shi", "是时事十使世市师式实室试视始识失石史适势食施释示士氏四司思死似私丝"},
    {"de", "的得地德"}, {"ta", "他她它塔"}, {"zai", "在再载灾"}, {"zuo", "做作坐座左昨"},
    {"ji", "机几己级计记及即极集技急际基击积纪济季继鸡绩迹吉"}, {"yi", "一以已意义议艺易亿衣医依移疑益异宜译"},
    {"li", "里理力立利李历例离丽礼励粒"}, {"you", "有又友由油右游优犹尤幼"}, {"wei", "为位未围委味卫维伟危微尾威"},
    {"xin", "新心信欣辛行形性星型兴醒姓"}, {"jing", "经京精景境静竟敬警镜今金近进仅尽紧禁"},
    {"ming", "明名命鸣民敏"}, {"ling", "领令零灵另林临邻"}, {"yin", "因音引印银应英影营迎硬映"},
    {"zhi", "之知只直至指制治质志值支纸止职置子自字资紫"}, {"ci", "次此词刺持吃尺迟池"},
    {"sheng", "生声胜升省圣身深神甚伸森"}, {"dao", "到道倒导刀岛"}, {"gong", "工公共功供宫攻贡"},
    {"guo", "国过果锅裹"}, {"hua", "话化花华画划"}, {"hui", "会回汇灰辉惠慧毁"}, {"jia", "家加价假甲架嘉佳"},
    {"jian", "间见建件简坚减检健渐践"}, {"jiao", "叫教交角脚较觉焦骄"}, {"jie", "结解接界节街借介阶姐"},
    {"qi", "起其气期七奇器齐企妻骑汽弃"}, {"qian", "前钱千签浅潜欠铅"}, {"qing", "情请清青轻庆亲勤琴侵"},
    {"xi", "西系细息希席习喜洗戏析惜"}, {"xian", "先现线县显险限献鲜闲"}, {"xiang", "想向象像相香响乡项箱"},
    {"xiao", "小笑校消效销晓"}, {"xie", "些写谢血协鞋斜"}, {"yan", "言眼研严演烟验颜延沿"},
    {"yang", "样阳养羊洋扬杨"}, {"yao", "要药摇腰遥"}, {"ye", "也业夜叶野爷"}, {"yu", "与于语雨鱼育域遇预余玉"},
    {"yuan", "元员原远院园源愿缘圆"}, {"yue", "月越约乐阅跃"}, {"zhong", "中重种众终钟忠总宗综"},
    {"zhu", "主住注助著祝猪竹逐足组租族"}, {"fu", "父服福府付富夫负复副妇"}, {"bu", "不部步布补捕"},
    {"bao", "报包保宝抱饱暴"}, {"bei", "北被备背倍杯悲"}, {"dan", "但单担胆淡蛋当党挡"},
    {"dian", "点电店典垫"}, {"dong", "东动冬懂洞"}, {"du", "度读都独毒肚"}, {"fang", "方放房防访反饭犯范番"},
    {"fei", "非飞费肥废"}, {"fen", "分份粉奋纷丰风封峰疯"}, {"gao", "高告稿搞"}, {"ge", "个各歌格哥革隔"},
    {"hao", "好号毫豪"}, {"he", "和合河何喝盒"}, {"jun", "军均君菌"}, {"kan", "看刊砍抗康"}, {"ke", "可科克客课刻"},
    {"lan", "蓝兰烂浪郎南男难"}, {"lao", "老劳牢脑"}, {"lian", "连脸联练恋年念"}, {"lu", "路陆录露努怒"},
    {"man", "满慢漫忙"}, {"men", "们门闷梦"}, {"mu", "目木母幕墓"}, {"nian", "年念粘"}, {"ping", "平评苹瓶品贫拼"},
    {"ren", "人认任仁忍"}, {"ru", "如入乳辱"}, {"shang", "上商伤尚山善闪三散"}, {"shou", "手受收首守瘦"},
    {"shu", "书数树术属熟输诉素苏速"}, {"shuo", "说硕所锁"}, {"tian", "天田填甜"}, {"ting", "听停厅庭"},
    {"tong", "同通痛统童"}, {"wan", "万完晚玩王往网望"}, {"wu", "五无物务午武误屋"}, {"xue", "学雪血削"},
    {"zhang", "张长章掌站战展占"}, {"zhe", "这者着哲折"}, {"zheng", "正政整证争真阵镇针"},
};

constexpr const char* kEnglish[][4] = {
    {"their", "there", "they're"},
    {"to", "too", "two"},
    {"its", "it's"},
    {"your", "you're"},
    {"right", "write", "rite"},
    {"here", "hear"},
    {"no", "know"},
    {"one", "won"},
    {"see", "sea"},
    {"for", "four", "fore"},
    {"by", "buy", "bye"},
    {"new", "knew"},
    {"our", "hour"},
    {"would", "wood"},
    {"which", "witch"},
    {"were", "where", "wear"},
    {"than", "then"},
    {"whole", "hole"},
    {"some", "sum"},
    {"be", "bee"},
    {"in", "inn"},
    {"so", "sew", "sow"},
    {"been", "bin"},
    {"great", "grate"},
    {"way", "weigh"},
    {"week", "weak"},
    {"piece", "peace"},
    {"made", "maid"},
    {"through", "threw"},
    {"meet", "meat"},
    {"plain", "plane"},
    {"principal", "principle"},
    {"effect", "affect"},
    {"or", "ore"},
    {"not", "knot"},
    {"all", "awl"},
    {"might", "mite"},
    {"passed", "past"},
    {"whether", "weather"},
    {"of", "off"},
    {"this", "these"},
    {"as", "has"},
    {"is", "his"},
    {"and", "end"},
    {"a", "eh"},
    {"the", "thee"},
    {"that", "dat"},
    {"i", "eye"},
    {"you", "ewe"},
    {"night", "knight"},
    {"steel", "steal"},
    {"role", "roll"},
};

constexpr const char* kLookAlike[][2] = {
    {"a", "а"}, {"c", "с"}, {"e", "е"}, {"i", "і"}, {"o", "о"}, {"p", "р"}, {"s", "ѕ"}, {"x", "х"}, {"y", "у"},
    {"A", "А"}, {"B", "В"}, {"C", "С"}, {"E", "Е"}, {"H", "Н"}, {"I", "І"}, {"K", "К"}, {"M", "М"}, {"O", "О"},
    {"P", "Р"}, {"T", "Т"}, {"X", "Х"}, {"Y", "У"},
};

struct Sounds {
  std::vector<SoundGroup> groups;
  std::map<std::string, size_t> group_of;
  Sounds() {
    for (const Row& row : kSounds) {
      SoundGroup group{row.pinyin, {}};
      const std::string_view all = row.characters;
      for (size_t at = 0; at + 3 <= all.size(); at += 3) {
        const std::string character(all.substr(at, 3));
        if (group_of.emplace(character, groups.size()).second) group.characters.push_back(character);
      }
      groups.push_back(std::move(group));
    }
  }
};

}  // namespace

const SoundGroup* sounds_like(const std::string& character) {
  static const Sounds sounds;
  const auto found = sounds.group_of.find(character);
  return found == sounds.group_of.end() ? nullptr : &sounds.groups[found->second];
}

const std::vector<std::string>& english_homophones(const std::string& word) {
  static const auto table = [] {
    std::map<std::string, std::vector<std::string>> made;
    for (const auto& row : kEnglish) {
      for (const char* word : row) {
        for (const char* other : row) {
          if (word && other && word != other) made[word].push_back(other);
        }
      }
    }
    return made;
  }();
  static const std::vector<std::string> none;
  const auto found = table.find(word);
  return found == table.end() ? none : found->second;
}

const char* look_alike(const std::string& letter) {
  for (const auto& [latin, cyrillic] : kLookAlike) {
    if (letter == latin) return cyrillic;
  }
  return nullptr;
}

}  // namespace curriculum
