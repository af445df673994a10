/*
 * scripts.h - a text for each encoding, in a language that is written in it.
 *
 * The texts are ours, as UTF-8; more than 200 bytes each in their encoding,
 * with ASCII between, as files have it.
 */
#ifndef STET_SCRIPTS_H
#define STET_SCRIPTS_H

#define FRENCH                                                                         \
	"/* Réglage de la fenêtre : largeur, hauteur, côté caché. */\n"           \
	"title = \"Où était le garçon français à Noël ?\"\n"                     \
	"note = \"L'été dernier, nous avons mangé des crêpes près du marché\"\n" \
	"help = \"Répétez après moi : déjà vu, naïveté, élève, forêt, hôtel\"\n"
#define EURO                                                                   \
	"/* Réglage de la fenêtre : largeur, hauteur, côté caché. */\n"   \
	"title = \"Le cœur de la bœuferie coûte 25 € à Noël\"\n"        \
	"note = \"L'été dernier, nous avons mangé des crêpes à 3 €\"\n" \
	"help = \"Répétez après moi : déjà vu, naïveté, élève, forêt\"\n"
#define POLISH                                                                      \
	"/* Ustawienia okna: szerokość, wysokość, położenie. */\n"            \
	"title = \"Zażółć gęślą jaźń, powiedział święty Józef\"\n"     \
	"note = \"Wczoraj byliśmy w górach i jedliśmy świeże pączki\"\n"      \
	"help = \"Proszę wybrać właściwą ścieżkę, później nacisnąć\"\n" \
	"text = \"Każdy człowiek rodzi się wolny i równy w prawach\"\n"
#define RUSSIAN                                                                                                            \
	"/* Настройки окна: ширина, высота и положение. */\n"                           \
	"title = \"Съешь ещё этих мягких французских булок\"\n"                          \
	"note = \"Вчера мы были в горах и пили горячий чай с мёдом\"\n"              \
	"help = \"Пожалуйста, выберите правильный путь и нажмите кнопку\"\n" \
	"text = \"Все люди рождаются свободными и равными в правах\"\n"
#define UKRAINIAN                                                                                                  \
	"/* Налаштування вікна: ширина, висота та розташування. */\n"   \
	"title = \"З'їж ще цих м'яких французьких булок\"\n"                          \
	"note = \"Учора ми були в горах і пили гарячий чай із медом\"\n"    \
	"help = \"Будь ласка, виберіть правильний шлях, їхній ключ є\"\n" \
	"text = \"Усі люди народжуються вільними і рівними в правах\"\n"
#define GREEK                                                                                                   \
	"/* Ρυθμίσεις παραθύρου: πλάτος, ύψος και θέση. */\n"                \
	"title = \"Η γρήγορη αλεπού πηδάει πάνω από τον σκύλο\"\n"           \
	"note = \"Χθες ήμασταν στα βουνά και ήπιαμε ζεστό τσάι\"\n"        \
	"help = \"Παρακαλώ επιλέξτε τη σωστή διαδρομή και πατήστε\"\n" \
	"text = \"Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι\"\n"
#define TURKISH                                                                   \
	"/* Pencere ayarları: genişlik, yükseklik ve konum. */\n"              \
	"title = \"Pijamalı hasta yağız şoföre çabucak güvendi\"\n"        \
	"note = \"Dün dağlardaydık ve sıcak çay içtik, çok güzeldi\"\n"   \
	"help = \"Lütfen doğru yolu seçin ve düğmeye basın, teşekkür\"\n" \
	"text = \"Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar\"\n"
#define LITHUANIAN                                                                       \
	"/* Lango nustatymai: plotis, aukštis ir padėtis. */\n"                        \
	"title = \"Įlinkdama fechtuotojo špaga sublykčiojusi pragręžė\"\n"         \
	"note = \"Vakar buvome kalnuose ir gėrėme karštą arbatą, džiaugėmės\"\n" \
	"help = \"Prašome pasirinkti teisingą kelią ir paspausti mygtuką\"\n"        \
	"text = \"Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis\"\n"
#define JAPANESE                                                                           \
	"/* ウィンドウの設定：幅、高さ、位置を決める。 */\n"          \
	"title = \"いろはにほへと散りぬるを、我が世誰ぞ常ならむ\"\n" \
	"note = \"昨日は山に行って、温かいお茶を飲みました\"\n"        \
	"help = \"正しい道を選んでから、ボタンを押してください\"\n"  \
	"text = \"すべての人間は、生まれながらにして自由であり平等である\"\n"
#define CHINESE_SHORT                                                               \
	"/* 窗口设置：宽度、高度和位置。 */\n"                        \
	"title = \"敏捷的棕色狐狸跳过了那只懒狗的后背\"\n"         \
	"note = \"昨天我们去了山上，喝了热茶，大家都很高兴\"\n" \
	"help = \"请选择正确的路径，然后按下按钮继续操作\"\n"    \
	"text = \"人人生而自由，在尊严和权利上一律平等\"\n"
#define CHINESE_LONG                                                                \
	"/* 視窗設定：寬度、高度和位置。 */\n"                        \
	"title = \"敏捷的棕色狐狸跳過了那隻懶狗的後背\"\n"         \
	"note = \"昨天我們去了山上，喝了熱茶，大家都很高興\"\n" \
	"help = \"請選擇正確的路徑，然後按下按鈕繼續操作\"\n"    \
	"text = \"人人生而自由，在尊嚴和權利上一律平等\"\n"
#define KOREAN                                                                            \
	"/* 창 설정: 너비, 높이와 위치를 정한다. */\n"                      \
	"title = \"다람쥐 헌 쳇바퀴에 타고파, 키스의 고유조건은\"\n"   \
	"note = \"어제 우리는 산에 가서 따뜻한 차를 마셨습니다\"\n"    \
	"help = \"올바른 경로를 선택한 다음 단추를 눌러 주십시오\"\n" \
	"text = \"모든 인간은 태어날 때부터 자유로우며 존엄하고 평등하다\"\n"
#define THAI                                                                                                                              \
	"/* การตั้งค่าหน้าต่าง ความกว้าง ความสูง */\n"                \
	"title = \"เป็นมนุษย์สุดประเสริฐเลิศคุณค่า\"\n"                     \
	"note = \"เมื่อวานเราไปภูเขาและดื่มชาร้อนด้วยกัน\"\n" \
	"help = \"โปรดเลือกเส้นทางที่ถูกต้องแล้วกดปุ่ม\"\n"       \
	"text = \"มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน\"\n"

static const struct script {
	const char *name;
	const char *text;
	const char *letter;    /* a letter of its own script */
	const char *taken_for; /* the encoding it is detected as, if another */
	bool low;              /* detected with low confidence */
} scripts[] = {
	{ "utf-8", RUSSIAN, "ж" },
	{ "utf-8-bom", RUSSIAN, "ж" },
	{ "utf-16le", RUSSIAN, "ж" },
	{ "utf-16be", JAPANESE, "山" },
	{ "utf-32le", RUSSIAN, "ж" },
	{ "utf-32be", JAPANESE, "山" },
	{ "utf-16le-nobom", RUSSIAN, "ж" },
	{ "utf-16be-nobom", JAPANESE, "山" },
	{ "utf-32le-nobom", FRENCH, "ç" },
	{ "utf-32be-nobom", FRENCH, "ç" },
	{ "iso-8859-1", FRENCH, "ç", "windows-1252" },
	{ "iso-8859-2", POLISH, "ł" },
	{ "iso-8859-5", RUSSIAN, "ж" },
	{ "iso-8859-7", GREEK, "λ" },
	{ "iso-8859-9", TURKISH, "ğ" },
	{ "iso-8859-13", LITHUANIAN, "ė" },
	{ "iso-8859-15", EURO, "€" },
	{ "windows-1250", POLISH, "ł" },
	{ "windows-1251", RUSSIAN, "ж" },
	{ "windows-1252", EURO, "€" },
	{ "windows-1253", GREEK, "λ", "iso-8859-7" },
	{ "windows-1254", TURKISH, "ğ", "iso-8859-9" },
	{ "windows-1257", LITHUANIAN, "ė", "iso-8859-13" },
	{ "koi8-r", RUSSIAN, "ж" },
	{ "koi8-u", UKRAINIAN, "ї" },
	{ "ibm850", FRENCH, "ç", NULL, true },
	{ "ibm852", POLISH, "ł" },
	{ "ibm855", RUSSIAN, "ж" },
	{ "ibm866", RUSSIAN, "ж" },
	{ "macroman", FRENCH, "ç", NULL, true },
	{ "mac-cyrillic", RUSSIAN, "ж" },
	{ "tis-620", THAI, "ก" },
	{ "shift_jis", JAPANESE, "山" },
	{ "euc-jp", JAPANESE, "山" },
	{ "iso-2022-jp", JAPANESE, "山" },
	{ "gbk", CHINESE_SHORT, "山", "gb18030" },
	{ "gb18030", CHINESE_SHORT "extra = \"😀\"\n", "😀" },
	{ "big5", CHINESE_LONG, "山" },
	{ "euc-kr", KOREAN, "산" },
};

#endif
