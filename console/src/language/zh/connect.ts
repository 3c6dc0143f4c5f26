import type { connectMessages } from '../en/connect.ts'
import type { Translated } from '../en/messages.ts'

export const chineseConnectMessages: Translated<typeof connectMessages> = {
  'connect.description': '各客户端接入本网关的设置。收到请求后指示灯变绿。',
  'connect.no_keys': '还没有可用于连接的密钥',
  'connect.no_keys.advice': '在这里创建一个：用它的密钥内容替换下方各行中的 sk-hg-…。',
  'connect.no_models': '此密钥没有可用的模型。请选择其他密钥，或为它授予模型。',
  'connect.what': '密钥和模型',
  'connect.key': '密钥',
  'connect.typed': '除建议的 {count} 个外还有更多，可输入任意名称。',
  'connect.model': '模型',
  'connect.address': '网关地址',
  'connect.address.hint': '客户端访问网关的地址；如果与此不同，请修改。',
  'connect.clients': '客户端',
  'connect.key_line': '在终端中设置密钥',
  'connect.secret': '请将 sk-hg-… 替换为创建密钥时显示的内容。它无法再次显示；如需新的内容，请轮换密钥。',
  'connect.about.openai-ts': '地址以 /v1 结尾。也可以不改代码，设置 OPENAI_BASE_URL 和 OPENAI_API_KEY。',
  'connect.about.openai-python': '地址以 /v1 结尾。也可以不改代码，设置 OPENAI_BASE_URL 和 OPENAI_API_KEY。',
  'connect.about.anthropic-ts': '地址不带 /v1。可以调用任何供应商的模型。',
  'connect.about.anthropic-python': '地址不带 /v1。可以调用任何供应商的模型。',
  'connect.about.claude-code':
    'Haiku 一项指定用于辅助任务的模型。最后一项让 Claude Code 列出网关中名称含 claude 或 anthropic 的模型。',
  'connect.about.codex': '它使用 Responses API，所有渠道都支持。',
  'connect.about.ai-sdk': '流式用量需要 includeUsage，JSON schema 需要 supportsStructuredOutputs。',
  'connect.about.google-ts': '地址不带版本号。不支持文件、缓存、批处理和实时会话。',
  'connect.about.gemini-cli':
    '登录方式请选择密钥。辅助任务会请求 gemini-2.5-flash 等模型，这些模型也必须可用。',
  'connect.about.opencode': '放在项目中，或 ~/.config/opencode 中。small_model 用于生成标题。',
  'connect.about.curl': '查看回答的最快方式。',
  'connect.light': '首个请求',
  'connect.light.waiting': '正在等待 {key} 的请求',
  'connect.light.waiting.advice': '运行上面的内容，指示灯会自动变绿。',
  'connect.light.good': '连接成功：收到请求并已回答',
  'connect.light.bad': '收到请求但失败：{status} {error}',
  'connect.light.bad.advice': '查看原因',
}
