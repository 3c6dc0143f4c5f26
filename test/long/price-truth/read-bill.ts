// The bill of a recorded answer, read from the provider's raw words alone. It shares no code with src/, so that a fault
// of a reader there is not repeated here. The rules are those of the providers' public pages, seen 2026-11-23.

/** Counts by the class of the price table that each is billed at. */
export interface Bill {
  readonly tokens: Readonly<Record<string, bigint>>
  readonly calls: Readonly<Record<string, bigint>>
  readonly tier: string
  readonly region: string | undefined
  /** The usage in the provider's words, for other calculators. */
  readonly raw: unknown
  /** Tokens of other models that had a part in the answer, by the model. */
  readonly others: readonly { readonly model: string; readonly tokens: Readonly<Record<string, bigint>> }[]
}

export interface RawAnswer {
  readonly api: string
  readonly provider: string
  /** A whole body, or the payloads of the events of a stream, in order. */
  readonly payloads: readonly unknown[]
}

type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function count(value: unknown): bigint {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? BigInt(value) : 0n
}

function has(value: unknown): boolean {
  return Object.keys(fieldsOf(value)).length > 0
}

function max(...values: readonly bigint[]): bigint {
  return values.reduce((left, right) => (left > right ? left : right), 0n)
}

function min(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}

const nothing = { calls: {}, region: undefined, others: [] }

/** Undefined where the answer states no usage. */
export function readBill(answer: RawAnswer): Bill | undefined {
  switch (answer.api) {
    case 'openai.chat':
    case 'openai.completions':
      return readChat(answer)
    case 'openai.embeddings':
      return readEmbeddings(answer)
    case 'openai.responses':
      return readResponses(answer)
    case 'anthropic.messages':
    case 'bedrock.invoke':
      return readMessages(answer)
    case 'gemini.generateContent':
      return readGemini(answer)
    case 'bedrock.converse':
      return readConverse(answer)
    case 'cohere.chat':
      return readCohere(answer)
    default:
      return undefined
  }
}

/**
 * `prompt_tokens` and `completion_tokens` are billed, the cached part of the first at its own price. xAI, and Google's
 * endpoint, count reasoning beside the completion, so that only the total has all (docs.x.ai/docs/guides/reasoning,
 * ai.google.dev/gemini-api/docs/openai). DeepSeek, Moonshot and Mistral have other names for cached input.
 */
function readChat({ payloads }: RawAnswer): Bill | undefined {
  const raw = payloads.map(chatUsage).findLast(has)
  if (raw === undefined) return undefined
  const usage = fieldsOf(raw)
  const prompt = fieldsOf(usage['prompt_tokens_details'])
  const completion = fieldsOf(usage['completion_tokens_details'])
  const said = count(usage['completion_tokens'])
  const total = count(usage['total_tokens'])
  const reasoning = count(completion['reasoning_tokens'] ?? usage['reasoning_tokens'])
  const cached = count(
    prompt['cached_tokens'] ??
      usage['prompt_cache_hit_tokens'] ??
      usage['cached_tokens'] ??
      usage['num_cached_tokens'],
  )
  let input = count(usage['prompt_tokens'])
  // Azure's Grok counts cached text beside the prompt, and Mistral sound: each total says so.
  const audio = count(prompt['audio_tokens'])
  if (cached > input) input += cached
  if (audio > input && total === input + said + audio) input += audio
  const isBeside = reasoning > 0n && (total === input + said + reasoning || reasoning > said)
  const output = isBeside ? said + reasoning : max(said, total - input)
  const written = count(prompt['cache_write_tokens'])
  const inputAudio = min(audio, input - cached - written)
  const outputAudio = count(completion['audio_tokens'])
  const thought = isBeside ? reasoning : reasoning + max(0n, total - input - said)
  const served = payloads
    .map((payload) => fieldsOf(payload)['service_tier'])
    .findLast((tier) => typeof tier === 'string')
  const server = fieldsOf(usage['server_tool_use'])
  return {
    ...nothing,
    raw,
    tokens: {
      input: input - cached - written - inputAudio,
      cacheRead: cached,
      cacheWrite: written,
      inputAudio,
      output: output - thought - outputAudio,
      reasoning: thought,
      outputAudio,
    },
    calls: {
      web_search: count(server['web_search_requests']) + count(usage['num_search_queries']),
      // Perplexity: a fee for each answer, by how much its search brought in.
      [`web_search_${String(usage['search_context_size'])}`]:
        usage['search_context_size'] === undefined ? 0n : 1n,
    },
    tier: tierOf(served),
  }
}

function chatUsage(payload: unknown): unknown {
  const { usage, x_groq: groq, choices } = fieldsOf(payload)
  const first = fieldsOf(listOf(choices)[0])
  return [usage, fieldsOf(groq)['usage'], first['usage']].find(has)
}

/** `default` is the usual tier; `scale` is prepaid and has no other price. */
function tierOf(word: unknown): string {
  const known = ['flex', 'priority', 'batch', 'fast', 'ultrafast']
  return typeof word === 'string' && known.includes(word) ? word : 'standard'
}

function readEmbeddings({ payloads }: RawAnswer): Bill | undefined {
  const usage = fieldsOf(payloads[0])['usage']
  if (!has(usage)) return undefined
  const { prompt_tokens: prompt, total_tokens: total } = fieldsOf(usage)
  return { ...nothing, raw: usage, tokens: { input: count(prompt ?? total) }, tier: 'standard' }
}

/** Searches are counted beside the usage, and by the calls in the output where an answer is older than that. */
function readResponses({ payloads }: RawAnswer): Bill | undefined {
  const responses = payloads.map((payload) =>
    has(fieldsOf(payload)['response']) ? fieldsOf(payload)['response'] : payload,
  )
  const last = fieldsOf(responses.findLast((response) => has(fieldsOf(response)['usage'])))
  const raw = last['usage']
  if (!has(raw)) return undefined
  const usage = fieldsOf(raw)
  const inputDetails = fieldsOf(usage['input_tokens_details'])
  const cached = count(inputDetails['cached_tokens'])
  const written = count(inputDetails['cache_write_tokens'])
  const reasoning = count(fieldsOf(usage['output_tokens_details'])['reasoning_tokens'])
  const output = count(usage['output_tokens'])
  return {
    ...nothing,
    raw,
    tokens: {
      input: count(usage['input_tokens']) - cached - written,
      cacheRead: cached,
      cacheWrite: written,
      output: output - reasoning,
      reasoning,
    },
    calls: callsOfResponse(last),
    tier: tierOf(last['service_tier']),
  }
}

function callsOfResponse(response: Fields): Readonly<Record<string, bigint>> {
  const usage = fieldsOf(response['usage'])
  const items = listOf(response['output']).map(fieldsOf)
  const searched = items.filter(
    ({ type, action }) => type === 'web_search_call' && (fieldsOf(action)['type'] ?? 'search') === 'search',
  )
  const stated = fieldsOf(fieldsOf(response['tool_usage'])['web_search'])['num_requests']
  const xai = fieldsOf(usage['server_side_tool_usage_details'])
  if (has(xai)) {
    return {
      web_search: count(xai['web_search_calls']),
      x_search: count(xai['x_search_calls']),
      code_interpreter: count(xai['code_interpreter_calls']),
    }
  }
  return {
    web_search: stated === undefined ? BigInt(searched.length) : count(stated),
    file_search: BigInt(items.filter(({ type }) => type === 'file_search_call').length),
  }
}

/**
 * Neither what was read from a cache nor what was written is among `input_tokens`. Later events repeat the totals. What
 * a summary of the conversation cost, and what an advisor read and wrote, is in `iterations` alone, the latter billed
 * at the rates of the advisor's model (platform.claude.com: compaction, advisor-tool).
 */
function readMessages({ payloads }: RawAnswer): Bill | undefined {
  const stated = payloads.flatMap((payload) => {
    const { message, usage } = fieldsOf(payload)
    return [fieldsOf(message)['usage'], usage].filter(has)
  })
  if (stated.length === 0) return undefined
  const raw: Record<string, unknown> = {}
  for (const usage of stated)
    for (const [name, value] of Object.entries(fieldsOf(usage))) if (value !== null) raw[name] = value
  if (raw['input_tokens'] === undefined && raw['output_tokens'] === undefined) return undefined
  const iterations = listOf(raw['iterations']).map(fieldsOf)
  const summaries = iterations.filter(({ type }) => type === 'compaction')
  const own = [raw, ...summaries].map(messagesTokens)
  const thought = count(fieldsOf(raw['output_tokens_details'])['thinking_tokens'])
  const tokens = addTokens(own)
  return {
    raw,
    tokens: { ...tokens, output: (tokens['output'] ?? 0n) - thought, reasoning: thought },
    calls: { web_search: count(fieldsOf(raw['server_tool_use'])['web_search_requests']) },
    tier: raw['speed'] === 'fast' ? 'fast' : tierOf(raw['service_tier']),
    region: typeof raw['inference_geo'] === 'string' ? raw['inference_geo'] : undefined,
    others: iterations
      .filter(({ type, model }) => type === 'advisor_message' && typeof model === 'string')
      .map((each) => ({ model: String(each['model']), tokens: messagesTokens(each) })),
  }
}

function messagesTokens(usage: Fields): Readonly<Record<string, bigint>> {
  const parts = fieldsOf(usage['cache_creation'])
  const long = count(parts['ephemeral_1h_input_tokens'])
  const total = usage['cache_creation_input_tokens']
  const written = typeof total === 'number' ? count(total) : long + count(parts['ephemeral_5m_input_tokens'])
  return {
    input: count(usage['input_tokens']),
    cacheRead: count(usage['cache_read_input_tokens']),
    cacheWrite: written - min(long, written),
    cacheWriteLong: min(long, written),
    output: count(usage['output_tokens']),
  }
}

function addTokens(all: readonly Readonly<Record<string, bigint>>[]): Readonly<Record<string, bigint>> {
  const sum: Record<string, bigint> = {}
  for (const each of all)
    for (const [name, tokens] of Object.entries(each)) sum[name] = (sum[name] ?? 0n) + tokens
  return sum
}

/**
 * The prompt holds what was read from a cache; what tools brought in is counted beside it, and thoughts beside the
 * answer, both billed. Unique queries that are not empty are billed (ai.google.dev: tokens, pricing, google-search).
 */
function readGemini({ payloads }: RawAnswer): Bill | undefined {
  const raw = payloads
    .map((payload) => fieldsOf(payload)['usageMetadata'])
    .findLast((usage) => has(fieldsOf(usage)) && isCounted(usage))
  if (raw === undefined) return undefined
  const usage = fieldsOf(raw)
  const input = count(usage['promptTokenCount']) + count(usage['toolUsePromptTokenCount'])
  const said = count(usage['candidatesTokenCount'])
  const total = count(usage['totalTokenCount'])
  const thoughts = max(
    count(usage['thoughtsTokenCount']),
    usage['promptTokenCount'] === undefined ? 0n : total - input - said,
  )
  const cached = min(count(usage['cachedContentTokenCount']), input)
  const cachedAudio = min(modality(usage['cacheTokensDetails'], 'AUDIO'), cached)
  const audio = modality(usage['promptTokensDetails'], 'AUDIO') - cachedAudio
  const image = min(modality(usage['promptTokensDetails'], 'IMAGE'), input - cached - audio)
  const outputImage = modality(usage['candidatesTokensDetails'], 'IMAGE')
  const outputAudio = modality(usage['candidatesTokensDetails'], 'AUDIO')
  const { serviceTier, trafficType } = usage
  const traffic =
    typeof trafficType === 'string' ? trafficType.replace('ON_DEMAND_', '').toLowerCase() : undefined
  return {
    ...nothing,
    raw,
    tokens: {
      input: input - cached - audio - image,
      inputAudio: audio,
      inputImage: image,
      cacheRead: cached - cachedAudio,
      cacheReadAudio: cachedAudio,
      output: said - outputImage - outputAudio,
      reasoning: thoughts,
      outputImage,
      outputAudio,
    },
    calls: geminiSearches(payloads),
    tier: tierOf(serviceTier ?? traffic),
  }
}

function isCounted(usage: unknown): boolean {
  const { promptTokenCount, candidatesTokenCount, totalTokenCount } = fieldsOf(usage)
  return [promptTokenCount, candidatesTokenCount, totalTokenCount].some((value) => typeof value === 'number')
}

function modality(details: unknown, name: string): bigint {
  const number = { IMAGE: 2, AUDIO: 4 }[name]
  return listOf(details)
    .map(fieldsOf)
    .filter((detail) => detail['modality'] === name || detail['modality'] === number)
    .reduce((sum, detail) => sum + count(detail['tokenCount']), 0n)
}

function geminiSearches(payloads: readonly unknown[]): Readonly<Record<string, bigint>> {
  const groundings = payloads
    .flatMap((payload) => listOf(fieldsOf(payload)['candidates']))
    .map((candidate) => fieldsOf(fieldsOf(candidate)['groundingMetadata']))
  const queries = new Set(groundings.flatMap((grounding) => listOf(grounding['webSearchQueries'])))
  queries.delete('')
  const chunks = groundings.flatMap((grounding) => listOf(grounding['groundingChunks']))
  const isMapped = chunks.some((chunk) => has(fieldsOf(chunk)['maps']))
  return { web_search: BigInt(queries.size), google_maps: isMapped ? 1n : 0n }
}

/** The three kinds of input are disjoint (API_runtime_TokenUsage.html). */
function readConverse({ payloads }: RawAnswer): Bill | undefined {
  const answer = fieldsOf(payloads.findLast((payload) => has(fieldsOf(payload)['usage'])))
  const raw = answer['usage']
  if (raw === undefined) return undefined
  const usage = fieldsOf(raw)
  const long = listOf(usage['cacheDetails'])
    .map(fieldsOf)
    .filter(({ ttl }) => ttl === '1h')
    .reduce((sum, detail) => sum + count(detail['inputTokens']), 0n)
  const written = count(usage['cacheWriteInputTokens'] ?? usage['cacheWriteInputTokenCount'])
  return {
    ...nothing,
    raw,
    tokens: {
      input: count(usage['inputTokens']),
      cacheRead: count(usage['cacheReadInputTokens'] ?? usage['cacheReadInputTokenCount']),
      cacheWrite: written - min(long, written),
      cacheWriteLong: min(long, written),
      output: count(usage['outputTokens']),
    },
    tier: tierOf(fieldsOf(answer['serviceTier'])['type']),
  }
}

/**
 * Billed are the billed units, not all tokens that the model read (docs.cohere.com/docs/how-does-cohere-pricing-work).
 */
function readCohere({ payloads }: RawAnswer): Bill | undefined {
  const raw = payloads
    .flatMap((payload) => {
      const { usage, delta, meta, response } = fieldsOf(payload)
      return [usage, fieldsOf(delta)['usage'], meta, fieldsOf(response)['meta']]
    })
    .findLast(has)
  if (raw === undefined) return undefined
  const units = fieldsOf(fieldsOf(raw)['billed_units'])
  const tokens = has(units) ? units : fieldsOf(fieldsOf(raw)['tokens'])
  return {
    ...nothing,
    raw,
    tokens: {
      input: count(tokens['input_tokens']) + count(tokens['image_tokens']),
      output: count(tokens['output_tokens']),
    },
    calls: { search_units: count(units['search_units']) },
    tier: 'standard',
  }
}

/** The cost that the answer itself states, in nano-dollars: xAI in ticks of 10^-10 dollars, others in dollars. */
export function statedCost(raw: unknown): number | undefined {
  const { cost_in_usd_ticks: ticks, cost } = fieldsOf(raw)
  if (typeof ticks === 'number') return ticks / 10
  const dollars = typeof cost === 'number' ? cost : fieldsOf(cost)['total_cost']
  return typeof dollars === 'number' ? dollars * 1e9 : undefined
}
