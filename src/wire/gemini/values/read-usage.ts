import { noUsage, type Usage } from '../../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { UsageCounter } from '../../fields/usage-counter.ts'

const counts = ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount']

/**
 * The usage of an answer in disjoint classes. Undefined if the answer has no usage. The prompt count includes tokens
 * read from a cache. Input from the provider's tools is counted separately from the prompt, and thoughts separately
 * from the candidates. These four counts make the total (https://ai.google.dev/api/generate-content#UsageMetadata, seen
 * 2026-11-20; so in all 195 recordings that have a total). Never throws.
 */
export function readUsage(
  value: JsonValue | undefined,
  toolCalls: Usage['toolCalls'] = noUsage.toolCalls,
): Usage | undefined {
  if (!isJsonObject(value) || !counts.some((name) => typeof value[name] === 'number')) return undefined
  const counter = new UsageCounter()
  const input = counter.count(value['promptTokenCount']) + counter.count(value['toolUsePromptTokenCount'])
  const said = counter.count(value['candidatesTokenCount'])
  const thoughts = counter.count(value['thoughtsTokenCount'])
  const unnamed = findUnnamed(value, input + said + thoughts, counter)
  const outputTokens = said + thoughts + unnamed
  const cacheReadTokens = counter.partOf(counter.count(value['cachedContentTokenCount']), input)
  return {
    ...noUsage,
    freshInputTokens: input - cacheReadTokens,
    cacheReadTokens,
    outputTokens,
    reasoningTokens: thoughts + unnamed,
    inputAudioTokens: counter.partOf(inputOf(value, 'AUDIO', counter), input),
    inputImageTokens: counter.partOf(inputOf(value, 'IMAGE', counter), input),
    cacheReadAudioTokens: counter.partOf(
      tokensOf(value['cacheTokensDetails'], 'AUDIO', counter),
      cacheReadTokens,
    ),
    ...readOutputParts(value['candidatesTokensDetails'], said + unnamed, counter),
    toolCalls,
    isEstimated: counter.isEstimated,
  }
}

function readOutputParts(details: JsonValue | undefined, said: number, counter: UsageCounter) {
  const outputAudioTokens = counter.partOf(tokensOf(details, 'AUDIO', counter), said)
  const outputImageTokens = counter.partOf(tokensOf(details, 'IMAGE', counter), said - outputAudioTokens)
  return { outputAudioTokens, outputImageTokens }
}

/** The tokens of the total that no part names. Models that report no thoughts count them only in the total. */
function findUnnamed(usage: JsonObject, named: number, counter: UsageCounter): number {
  const total = counter.count(usage['totalTokenCount'])
  if (total === named) return 0
  counter.isEstimated = true
  return usage['promptTokenCount'] === undefined ? 0 : Math.max(0, total - named)
}

function inputOf(usage: JsonObject, modality: Modality, counter: UsageCounter): number {
  const prompt = tokensOf(usage['promptTokensDetails'], modality, counter)
  return prompt + tokensOf(usage['toolUsePromptTokensDetails'], modality, counter)
}

type Modality = 'AUDIO' | 'IMAGE'

/** The enum number of each modality, which client libraries for protocol buffers use. */
const numberOf: Readonly<Record<Modality, number>> = { IMAGE: 2, AUDIO: 4 }

function tokensOf(details: JsonValue | undefined, modality: Modality, counter: UsageCounter): number {
  if (!isJsonArray(details)) return 0
  let tokens = 0
  for (const detail of details) {
    if (!isJsonObject(detail)) continue
    const kind = detail['modality']
    if (kind === modality || kind === numberOf[modality]) tokens += counter.count(detail['tokenCount'])
  }
  return tokens
}
