import type { Effort } from '../../canonical/request.ts'
import type { Dialect, GeminiModel } from '../../wire/dialect.ts'

/**
 * The dialect of each Gemini model, by its name. Undefined for a name without a version. Models that are newer than the
 * last known ones get the dialect of those.
 *
 * Sources, all seen 2026-11-20: https://ai.google.dev/gemini-api/docs/generate-content/thinking and
 * https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/thinking (levels and budgets),
 * https://ai.google.dev/gemini-api/docs/thought-signatures (signed calls),
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/models/gemini/3-flash (media in results of functions),
 * https://github.com/googleapis/python-genai/issues/867 (JSON beside tools, seen 2026-11-30),
 * https://github.com/google-gemini/cookbook/issues/1290 (penalties, seen 2026-11-30).
 *
 * `endOfLogprobs` is the version from which on the service refuses a request for log probabilities: 2.5 at the Gemini
 * API (https://github.com/googleapis/python-genai/issues/1921, seen 2026-11-30).
 */
export function geminiDialect(model: string, endOfLogprobs = 2.5): Partial<Dialect> | undefined {
  const name = readName(model)
  if (name === undefined) return undefined
  const isThird = name.version >= 3
  return {
    geminiModel: {
      ...thinkingOf(name),
      signedCalls: isThird,
      mediaResults: isThird,
      jsonWithTools: isThird,
      penalties: name.version < 2.5,
      logprobs: name.version < endOfLogprobs,
    },
  }
}

interface GeminiName {
  /** The version, such as 2.5. */
  readonly version: number
  /** The kind, such as `pro` or `flash-lite`. */
  readonly kind: string
}

const MODEL_NAME = /gemini-(\d+(?:\.\d+)?)-?([a-z]*(?:-lite)?)/

function readName(model: string): GeminiName | undefined {
  const [, version, kind = ''] = MODEL_NAME.exec(model.toLowerCase()) ?? []
  return version === undefined ? undefined : { version: Number(version), kind }
}

type Thinking = Pick<GeminiModel, 'thinking' | 'levels' | 'budget' | 'canDisableThinking'>

const noThinking: Thinking = { thinking: 'none', levels: [], budget: [0, 0], canDisableThinking: true }

function thinkingOf(name: GeminiName): Thinking {
  if (name.version < 2.5) return noThinking
  if (name.version >= 3)
    return { thinking: 'level', levels: levelsOf(name), budget: [0, 32_768], canDisableThinking: false }
  const { kind } = name
  if (kind === 'pro')
    return { thinking: 'budget', levels: [], budget: [128, 32_768], canDisableThinking: false }
  const minBudget = kind === 'flash-lite' ? 512 : 1
  return { thinking: 'budget', levels: [], budget: [minBudget, 24_576], canDisableThinking: true }
}

/**
 * The thinking levels of a model. The lowest level is known only for the smaller models up to 3.1. The first model of
 * the line accepts no middle level.
 */
function levelsOf({ version, kind }: GeminiName): readonly Effort[] {
  if (version === 3 && kind === 'pro') return ['low', 'high']
  const isSmall = kind === 'flash' || kind === 'flash-lite'
  return isSmall && version <= 3.1 ? ['minimal', 'low', 'medium', 'high'] : ['low', 'medium', 'high']
}
