import { type ConverseModel, type Dialect, plainConverseModel } from '../../wire/dialect.ts'
import { claudeDialect } from './claude-dialect.ts'

/**
 * The dialect of a model of Bedrock in the Converse format, by its ID. The sources are recordings of the service and,
 * all seen 2026-11-20,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html,
 * https://docs.aws.amazon.com/nova/latest/nova2-userguide/core-inference.md and
 * https://docs.aws.amazon.com/nova/latest/nova2-userguide/reasoning-capabilities.md; for blocks beside tool results
 * https://github.com/pydantic/pydantic-ai/pull/6098, tried against the service, seen 2026-11-30; for Nova's cache
 * points https://github.com/LibreChat-AI/agents/pull/253 and https://github.com/earendil-works/pi/issues/2053, seen
 * then, too.
 */
export function bedrockDialect(model: string): Partial<Dialect> {
  const name = model.toLowerCase()
  const claude = claudeDialect(name)
  if (/anthropic\.|claude/.test(name)) return { ...claudeFamily, ...claude }
  if (/amazon\.nova-2/.test(name)) return novaFamily('reasoningConfig')
  if (/amazon\.nova/.test(name)) return novaFamily('none')
  if (/gpt-oss/.test(name))
    return {
      ...openWeights,
      converseModel: reasonsBy('reasoning_effort'),
      efforts: ['low', 'medium', 'high'],
    }
  const converseModel = { ...plainConverseModel, ...besideResults(name), ...lastTurn(name) }
  if (heldToSchemas.test(name)) return { ...openWeights, converseModel }
  return { ...others, converseModel, toolChoices: /mistral/.test(name) ? 'words' : 'auto' }
}

/** The kinds of blocks that a message with tool results may have, as far as the service was tried. */
function besideResults(name: string): Pick<ConverseModel, 'besideResults'> {
  if (/llama|mistral|ministral|magistral|voxtral|pixtral|writer\./.test(name)) return { besideResults: [] }
  return /qwen/.test(name) ? { besideResults: ['text', 'image'] } : {}
}

/** Whether the user must speak last (github.com/i-am-bee/beeai-framework/issues/753, seen 2026-11-30). */
function lastTurn(name: string): Pick<ConverseModel, 'endsWithUser'> {
  return /llama|mistral|ministral|magistral|voxtral|pixtral/.test(name) ? { endsWithUser: true } : {}
}

const claudeFamily: Partial<Dialect> = {
  cacheMarks: true,
  jsonSchema: false,
  toolChoices: 'all',
  converseModel: {
    reasoning: 'thinking',
    topK: 'top_k',
    searchResults: true,
    besideResults: ['text', 'image'],
  },
}

function reasonsBy(reasoning: ConverseModel['reasoning']): ConverseModel {
  return { ...plainConverseModel, reasoning }
}

function novaFamily(reasoning: ConverseModel['reasoning']): Partial<Dialect> {
  return {
    cacheMarks: true,
    jsonSchema: false,
    toolChoices: 'all',
    efforts: ['low', 'medium', 'high'],
    converseModel: { reasoning, topK: 'inferenceConfig', searchResults: false, cachePoints: 'text' },
  }
}

/** The makers whose newer models follow schemas. */
const heldToSchemas =
  /qwen3|deepseek\.v3|gemma-3|minimax-m2|nemotron|kimi-k2|magistral|ministral|mistral-large-3|voxtral/

const openWeights: Partial<Dialect> = { jsonSchema: true, toolChoices: 'words' }

const others: Partial<Dialect> = { jsonSchema: false }
