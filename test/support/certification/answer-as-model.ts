import type { AssistantBlock, ToolCallBlock } from '../../../src/canonical/content.ts'
import type { FieldOwner } from '../../../src/canonical/format.ts'
import { estimateInputTokens } from '../../../src/canonical/input-size/estimate-input-tokens.ts'
import { vocabularies } from '../../../src/canonical/input-size/token-vocabulary.ts'
import type { Reply } from '../../../src/canonical/reply.ts'
import type { ChatRequest, Turn } from '../../../src/canonical/request.ts'
import { noUsage, type Usage } from '../../../src/canonical/usage.ts'

/** The things that a broken upstream does. */
export type ModelFault =
  | 'forgets-the-word'
  | 'says-nothing'
  | 'ignores-tools'
  | 'calls-another-tool'
  | 'writes-bad-arguments'
  | 'ignores-results'
  | 'calls-one-at-a-time'
  | 'sees-nothing'
  | 'drops-the-schema'
  | 'changes-the-schema'
  | 'signs-nothing'
  | 'does-not-reason'
  | 'hides-reasoning'
  | 'never-caches'
  | 'invents-input'
  | 'invents-output'
  | 'counts-streams-twice'

export interface ModelMemory {
  /** Prompts that were seen before. */
  readonly prompts: Set<string>
  /** The format of the provider: reasoning that is sealed is marked as its own. */
  readonly format: FieldOwner
}

const signature = 'c2lnbmVkLWJ5LXRoZS1tb2RlbA=='

/** A model that can do everything that a certification asks, but for its faults. */
export function answerAsModel(
  request: ChatRequest,
  faults: ReadonlySet<ModelFault>,
  memory: ModelMemory,
): Reply {
  const content = contentOf(request, faults, memory)
  const hasCall = content.some(({ type }) => type === 'tool-call')
  return {
    id: 'answer-1',
    model: 'model-1',
    createdAtSeconds: 5,
    choices: [{ content, stopReason: hasCall ? 'tool-calls' : 'end' }],
    usage: usageOf(request, { content, faults, memory }),
  }
}

/** Whether sealed reasoning that came before is sent back; each format seals it in its own words. */
export function returnsReasoning({ turns }: ChatRequest): boolean {
  const answers = turns.filter((turn) => turn.role === 'assistant')
  return answers.some(({ content }) =>
    content.some((block) =>
      block.type === 'thinking' ? block.signature !== undefined : block.type === 'redacted-thinking',
    ),
  )
}

export function isReasoning({ reasoning }: ChatRequest): boolean {
  return reasoning !== undefined && reasoning.mode !== 'off'
}

function contentOf(
  request: ChatRequest,
  faults: ReadonlySet<ModelFault>,
  { format }: ModelMemory,
): readonly AssistantBlock[] {
  if (faults.has('says-nothing')) return [{ type: 'text', text: '' }]
  const spoken = speak(request, faults)
  if (!isReasoning(request) || faults.has('does-not-reason') || faults.has('hides-reasoning')) return spoken
  const signed = faults.has('signs-nothing') ? {} : { signature, extras: { format, fields: {} } }
  return [{ type: 'thinking', text: '9.9 is larger than 9.11.', ...signed }, ...spoken]
}

function speak(request: ChatRequest, faults: ReadonlySet<ModelFault>): readonly AssistantBlock[] {
  const { turns, tools = [], outputFormat } = request
  const last = turns.at(-1)
  const text = textOf(last)
  if (last?.role === 'tool') return say(faults.has('ignores-results') ? 'It is warm.' : readResults(last))
  const named = tools.filter((tool) => tool.type === 'function' && text.includes(tool.name))
  if (named.length > 0 && !faults.has('ignores-tools'))
    return callsOf(
      named.map((tool) => (tool.type === 'function' ? tool.name : '')),
      faults,
    )
  if (outputFormat?.type === 'json-schema' && !faults.has('drops-the-schema'))
    return say(faults.has('changes-the-schema') ? '{"verdict":"marble"}' : instance)
  return say(answerText(request, text, faults))
}

const instance = JSON.stringify({ verdict: 'basalt', score: 7, remarks: ['hard'] })

function say(text: string): readonly AssistantBlock[] {
  return [{ type: 'text', text }]
}

function answerText({ turns }: ChatRequest, text: string, faults: ReadonlySet<ModelFault>): string {
  const blocks = turns.flatMap((turn) => (turn.role === 'user' ? turn.content : []))
  if (blocks.some(({ type }) => type === 'image'))
    return faults.has('sees-nothing') ? 'Grey.' : 'Blue, yellow.'
  const document = blocks.find((block) => block.type === 'document')
  if (document !== undefined) return faults.has('sees-nothing') ? 'I see no page.' : readPdf(document.source)
  const [, word = ''] = /nothing else: (\S+)/.exec(text) ?? []
  if (word !== '') return faults.has('forgets-the-word') ? 'Hello!' : word
  if (text.startsWith('Count')) return Array.from({ length: 40 }, (_, index) => index + 1).join('\n')
  return 'All three lift thirty-one and a half tonnes at once. For eleven tonnes I would use the first crane.'
}

function callsOf(names: readonly string[], faults: ReadonlySet<ModelFault>): readonly ToolCallBlock[] {
  const made = faults.has('calls-one-at-a-time') ? names.slice(0, 1) : names
  return made.map((name, index) => ({
    type: 'tool-call',
    id: `call_${index}`,
    name: faults.has('calls-another-tool') ? 'get_time' : name,
    kind: 'function',
    input: faults.has('writes-bad-arguments') ? '{"place":"Paris"}' : '{"city":"Paris"}',
  }))
}

function readResults(turn: Extract<Turn, { readonly role: 'tool' }>): string {
  const texts = turn.results.flatMap(({ content }) =>
    content.map((block) => (block.type === 'text' ? block.text : '')),
  )
  return `The results say: ${texts.join(' and ')}`
}

function textOf(turn: Turn | undefined): string {
  if (turn === undefined || turn.role === 'tool') return ''
  return turn.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

function readPdf(source: { readonly type: string; readonly data?: string }): string {
  const text = Buffer.from(source.data ?? '', 'base64').toString('latin1')
  return /code word of this page is (\S+)\./.exec(text)?.[1] ?? 'I cannot read it.'
}

interface Answering {
  readonly content: readonly AssistantBlock[]
  readonly faults: ReadonlySet<ModelFault>
  readonly memory: ModelMemory
}

function usageOf(request: ChatRequest, { content, faults, memory }: Answering): Usage {
  const input = countInput(request) * (faults.has('counts-streams-twice') && request.stream ? 2 : 1)
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  const output = Math.ceil(text.length / 4) + 5
  const system = textOf(request.turns.find(({ role }) => role === 'system'))
  const isKnown = system !== '' && memory.prompts.has(system) && !faults.has('never-caches')
  memory.prompts.add(system)
  const reasoningTokens = faults.has('hides-reasoning') ? 64 : 0
  return {
    ...noUsage,
    freshInputTokens: faults.has('invents-input') ? input * 10 + 1_000 : isKnown ? 10 : input,
    cacheReadTokens: isKnown ? input - 10 : 0,
    outputTokens: (faults.has('invents-output') ? output * 10 + 1_000 : output) + reasoningTokens,
    reasoningTokens,
  }
}

/** The input as this model counts it. */
export function countInput(request: ChatRequest): number {
  return estimateInputTokens(request, vocabularies.open)
}
