"""The agents that read pages for language models, as robots.txt names them."""

#: By https://github.com/ai-robots-txt/ai.robots.txt, which is kept up to date, at its commit 000552c; without Applebot
#: and facebookexternalhit, whose pages of results and previews of links lead people here.
AI_AGENTS = tuple(
    name.strip()
    for name in """
    AddSearchBot, AI2Bot, AI2Bot-DeepResearchEval, Ai2Bot-Dolma, aiHitBot, AgentTimes, amazon-kendra, Amazonbot,
    AmazonBuyForMe, Amzn-SearchBot, Amzn-User, Andibot, Anomura, anthropic-ai, ApifyBot, ApifyWebsiteContentCrawler,
    Applebot-Extended, Aranet-SearchBot, atlassian-bot, Awario, AzureAI-SearchBot, bedrockbot, bigsur.ai, Bravebot,
    Brightbot, BuddyBot, Bytespider, CCBot, Channel3Bot, ChatGLM-Spider, ChatGPT Agent, ChatGPT-User, Claude-Code,
    Claude-SearchBot, Claude-User, Claude-Web, ClaudeBot, Cloudflare-AutoRAG, CloudVertexBot, Code, cohere-ai,
    cohere-training-data-crawler, Cotoyogi, Crawl4AI, Crawlspace, Datenbank Crawler, DeepSeekBot, Devin, Diffbot,
    DuckAssistBot, Echobot Bot, EchoboxBot, ExaBot, FacebookBot, Factset_spyderbot, FirecrawlAgent, FriendlyCrawler,
    Gemini-Deep-Research, Google-Agent, Google-CloudVertexBot, Google-Extended, Google-Firebase, Google-Gemini-CLI,
    Google-NotebookLM, GoogleAgent-Mariner, GoogleOther, GoogleOther-Image, GoogleOther-Video, GPTBot, HenkBot,
    iAskBot, iaskspider, IbouBot, ICC-Crawler, ImagesiftBot, imageSpider, img2dataset, ISSCyberRiskCrawler,
    kagi-fetcher, Kangaroo Bot, KlaviyoAIBot, KunatoCrawler, laion-huggingface-processor, LAIONDownloader, LCC,
    LinerBot, Linguee Bot, LinkupBot, Manus-User, meta-externalagent, meta-externalfetcher, meta-webindexer,
    MistralAI-User, MyCentralAIScraperBot, NagetBot, netEstate Imprint Crawler, newsai, NotebookLM, NovaAct,
    OAI-SearchBot, omgili, omgilibot, OpenAI, opencode, Operator, PanguBot, Panscient, panscient.com,
    Perplexity-User, PerplexityBot, PetalBot, PhindBot, Poggio-Citations, Poseidon Research Crawler, QualifiedBot,
    QuillBot, quillbot.com, SBIntuitionsBot, Scrapy, SemrushBot-OCOB, SemrushBot-SWA, Shap-User, ShapBot, Sidetrade
    indexer bot, Spider, TavilyBot, Terra Cotta, TerraCotta, Thinkbot, TikTokSpider, Timpibot, Trae, TwinAgent,
    VelenPublicWebCrawler, WARDBot, Webzio-Extended, wpbot, WRTNBot, YaK, YandexAdditional, YandexAdditionalBot,
    YouBot, ZanistaBot
    """.split(",")
)
