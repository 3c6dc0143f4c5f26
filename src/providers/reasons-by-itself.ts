import type { Target } from '../catalog/catalog.ts'
import { claudeDialect } from './models/claude-dialect.ts'
import { geminiDialect } from './models/gemini-dialect.ts'
import { openaiReasoning } from './models/openai-reasoning.ts'
import type { Provider } from './provider.ts'
import { dialectOf } from './registry.ts'

/**
 * Whether a model reasons without being asked, and so may be silent for long. The operator's setting overrides the
 * provider's declaration, which overrides the guess from the model's name.
 */
export function reasonsByItself(provider: Provider, target: Target): boolean {
  const { reasons, reasoning } = target.capabilities
  if (reasons !== undefined) return reasons
  // An operator who states how a model is asked to reason also states that it reasons.
  if (reasoning !== undefined && reasoning !== 'none') return true
  const dialect = dialectOf(provider, target)
  if (dialect.reasonsByDefault) return true
  return dialect.messagesModel?.thinksByDefault ?? reasonsByName(target.upstreamModel)
}

/**
 * Families of models that reason by default, by their makers' names. Hosts add a maker or a region before the name, and
 * a date or a size after it. Sources, seen 2026-11-22: each maker's list of models (developers.openai.com,
 * platform.claude.com, ai.google.dev, api-docs.deepseek.com, docs.x.ai, docs.z.ai, platform.moonshot.ai,
 * platform.minimax.io, docs.mistral.ai, docs.perplexity.ai, huggingface.co/Qwen).
 */
const reasoningFamilies: readonly RegExp[] = [
  /\b(?:qwq|qvq|magistral|gpt-oss|codex-mini|seed-oss)/,
  /\bdeepseek-(?:r\d|reasoner|v[4-9])/,
  /\bqwen3(?:\.\d)?-\d+b(?!.*instruct)/,
  /\bqwen(?:3\.[5-9]|[4-9])(?!.*instruct)/,
  /\bgrok-(?:3-mini|[4-9]|code)/,
  /\bglm-(?:4\.[5-9]|[5-9]|z)/,
  /\bkimi-k(?:2\.[5-9]|[3-9])/,
  /\bminimax-m\d/,
  /\bernie-x\d/,
  /\bhunyuan-t\d/,
  /\bmimo-/,
  /\bstep-[3-9]/,
  /\bnemotron-(?:[3-9]|nano|super|ultra)/,
  /\br1(?:\b|-)/,
  /deep-research/,
  /think|reason/,
]

/** Variants of these families that answer without reasoning. */
const quickVariants = /non-?(?:think|reason)|no-?(?:think|reason)/

function reasonsByName(upstreamModel: string): boolean {
  const name = upstreamModel.toLowerCase()
  if (quickVariants.test(name)) return false
  const ofOpenai = /(?:^|[/.:@])((?:o[1-9]|gpt-(?:[5-9]|\d\d))(?![\d]).*)$/.exec(name)?.[1]
  if (ofOpenai !== undefined) return !ofOpenai.includes('-chat') && openaiReasoning(ofOpenai).reasonsByDefault
  const claude = claudeDialect(name)?.messagesModel
  if (claude !== undefined) return claude.thinksByDefault || /think/.test(name)
  if (/gemini-/.test(name)) return geminiReasons(name)
  return reasoningFamilies.some((family) => family.test(name))
}

/**
 * Whether a Gemini model reasons: all do from 2.5 on, except the lightest one of 2.5, which reasons only when asked,
 * and models that make images, which never do.
 */
function geminiReasons(name: string): boolean {
  const thinking = geminiDialect(name)?.geminiModel?.thinking ?? 'none'
  const rests = /gemini-2\.5-flash-(?:lite|image)|-tts|embedding/.test(name)
  return /think/.test(name) || (thinking !== 'none' && !rests)
}
