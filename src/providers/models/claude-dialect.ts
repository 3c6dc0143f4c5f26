import { efforts } from '../../canonical/request.ts'
import type { Dialect, MessagesModel, ThinkingType } from '../../wire/dialect.ts'

/**
 * The dialect of each Claude model, by its name. Names of every platform are understood (`claude-3-5-sonnet-20241022`,
 * `anthropic/claude-sonnet-4.5`, `us.anthropic.claude-opus-4-6-v1`). Undefined for a name without a version. Models
 * that are newer than the last known ones get the dialect of those.
 *
 * Sources, all seen 2026-11-20. Output caps: platform.claude.com/docs/models/overview and each model's page; for 4.6 to
 * 4.8 also github.com/Effect-TS/effect, release @effect/ai-anthropic 4.0.0-beta.106. Thinking, sampling, prefill,
 * forced tools: platform.claude.com/docs/en/models/{opus-5-5,sonnet-5-5,haiku-5-5,haiku-4-5}/migration-guide and
 * docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html. Effort:
 * platform.claude.com/docs/en/build-with-claude/effort. Schemas: …/structured-outputs. System messages:
 * …/mid-conversation-system-messages.
 */
export function claudeDialect(model: string): Partial<Dialect> | undefined {
  const name = readName(model)
  if (name === undefined) return undefined
  const maxOutputTokens = capOf(name)
  return {
    // Models before 4.5 refuse a prompt and a cap that together exceed the context window, so the default cap is
    // modest.
    defaultMaxTokens: name.version >= 4.5 ? maxOutputTokens : Math.min(maxOutputTokens, 32_000),
    jsonSchema: name.version >= 4.5,
    messagesModel: { maxOutputTokens, ...thinkingOf(name), ...restOf(name) },
  }
}

interface ClaudeName {
  readonly family: string
  /** The version, such as 4.5. */
  readonly version: number
}

const MODEL_NAME = /claude-(?:([a-z]+)-)?(\d{1,2})(?:[-.](\d))?(?!\d)(?:-([a-z]+))?/

function readName(model: string): ClaudeName | undefined {
  const found = MODEL_NAME.exec(model.toLowerCase())
  if (found === null) return undefined
  const [, before, major, minor = '0', after] = found
  return { family: before ?? after ?? '', version: Number(`${major}.${minor}`) }
}

function capOf({ family, version }: ClaudeName): number {
  if (version < 3.5) return 4096
  if (version < 3.7) return 8192
  if (version >= 4.6) return 128_000
  return family === 'opus' && version < 4.5 ? 32_000 : 64_000
}

/** Fable and Mythos are the family that always thinks. */
const alwaysThinking: ReadonlySet<string> = new Set(['fable', 'mythos'])

function thinkingOf(name: ClaudeName): Pick<MessagesModel, 'thinkingTypes' | 'thinksByDefault' | 'efforts'> {
  const { version } = name
  return {
    thinkingTypes: thinkingTypesOf(name),
    thinksByDefault: version >= 5,
    efforts: effortsOf(name),
  }
}

function thinkingTypesOf({ family, version }: ClaudeName): readonly ThinkingType[] {
  if (version < 3.7) return []
  if (version < 4.6) return ['enabled', 'disabled']
  if (version < 4.7) return ['adaptive', 'enabled', 'disabled']
  // A model that does not think by default needs no `disabled`, and some of these models refuse it.
  if (version < 5 || alwaysThinking.has(family)) return ['adaptive']
  if (version < 5.5 || family === 'haiku') return ['adaptive', 'disabled']
  return family === 'sonnet' ? ['adaptive', 'between_tools'] : ['adaptive']
}

function effortsOf({ family, version }: ClaudeName): MessagesModel['efforts'] {
  if (version >= 4.7) return efforts.slice(efforts.indexOf('low'))
  if (version >= 4.6) return ['low', 'medium', 'high', 'max']
  return version >= 4.5 && family === 'opus' ? ['low', 'medium', 'high'] : []
}

function restOf({ family, version }: ClaudeName) {
  const isLate = alwaysThinking.has(family) ? version >= 5.1 : version >= 5.5 && family !== 'haiku'
  return {
    sampling: samplingOf(version),
    forcedTools: !isLate,
    prefill: version < 4.6,
    systemMessages: version >= 4.8,
  }
}

function samplingOf(version: number): MessagesModel['sampling'] {
  if (version >= 4.7) return 'none'
  return version >= 4.1 ? 'one' : 'both'
}
