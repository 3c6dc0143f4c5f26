import { splitText } from '../agent/split-text.ts'
import { jsonAnswer, type ScriptedAnswer, sseAnswer } from '../scripted-upstream.ts'
import type { SaidBlock, SaidTurn } from './strict-request.ts'
import type { TurnTerms } from './write-messages-turn.ts'

type Item = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string }

type Event = Readonly<Record<string, unknown>> & { readonly type: string }

/** An answer in the responses format, whole or streamed as it was asked for. */
export function writeResponsesTurn(turn: SaidTurn, terms: TurnTerms): ScriptedAnswer {
  const items = writeItems(turn, terms)
  const { model, isStream } = terms.request
  const response = (status: string, output: readonly Item[]) => ({
    id: `resp_${turn.id}`,
    object: 'response',
    created_at: 1_790_000_000,
    status,
    model,
    output,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    tools: [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    top_p: 1,
    usage: {
      input_tokens: 20,
      output_tokens: 10,
      total_tokens: 30,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 5 },
    },
  })
  if (!isStream) return jsonAnswer(response('completed', items))
  const events = [
    { type: 'response.created', response: response('in_progress', []) },
    { type: 'response.in_progress', response: response('in_progress', []) },
    ...items.flatMap(writeEvents),
    { type: 'response.completed', response: response('completed', items) },
  ]
  return sseAnswer(
    events.map((event, sequence_number) => {
      const data = JSON.stringify({ ...event, sequence_number })
      return `event: ${event.type}\ndata: ${data}\n\n`
    }),
  )
}

/** Writes items; one that follows reasoning knows of which reasoning it came. */
function writeItems({ id, blocks }: SaidTurn, terms: TurnTerms): readonly Item[] {
  const items: Item[] = []
  let proof: string | undefined
  for (const [index, block] of blocks.entries()) {
    const position = `${id}_${index}`
    const item = writeItem(block, position, terms)
    if (item === undefined) continue
    items.push(item)
    if (block.type === 'thought') proof = String(item['encrypted_content'])
    else if (proof !== undefined) {
      terms.account.recordReasoning(item.id, proof)
      proof = undefined
    }
  }
  return items
}

function writeItem(block: SaidBlock, position: string, { request, account }: TurnTerms): Item | undefined {
  const status = 'completed'
  switch (block.type) {
    case 'thought': {
      if (!request.wantsThinking) return undefined
      const summary = block.isHidden ? [] : [{ type: 'summary_text', text: block.text }]
      const encrypted_content = account.prove(block.text, position)
      return { type: 'reasoning', id: `rs_${position}`, summary, encrypted_content }
    }
    case 'text': {
      const content = [{ type: 'output_text', text: block.text, annotations: [], logprobs: [] }]
      return { type: 'message', id: `msg_${position}`, status, role: 'assistant', content }
    }
    case 'call': {
      const { id: call_id, name, input } = block
      return {
        type: 'function_call',
        id: `fc_${position}`,
        call_id,
        name,
        arguments: JSON.stringify(input),
        status,
      }
    }
  }
}

function writeEvents(item: Item, output_index: number): readonly Event[] {
  const at = { item_id: item.id, output_index }
  return [
    { type: 'response.output_item.added', output_index, item: opened(item) },
    ...innerEvents(item, at),
    { type: 'response.output_item.done', output_index, item },
  ]
}

function opened(item: Item): object {
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] }
  if (item.type === 'reasoning') return { ...item, summary: [], encrypted_content: '' }
  return { ...item, status: 'in_progress', arguments: '' }
}

function innerEvents(item: Item, at: object): readonly Event[] {
  if (item.type === 'function_call') {
    const text = String(item['arguments'])
    return [
      ...splitText(text).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
      { type: 'response.function_call_arguments.done', ...at, name: item['name'], arguments: text },
    ]
  }
  const parts: unknown = item.type === 'reasoning' ? item['summary'] : item['content']
  const part: unknown = Array.isArray(parts) ? parts[0] : undefined
  if (typeof part !== 'object' || part === null || !('text' in part)) return []
  return item.type === 'reasoning'
    ? partEvents(part, { ...at, summary_index: 0 }, summaryNames)
    : partEvents(part, { ...at, content_index: 0 }, textNames)
}

const summaryNames = { part: 'response.reasoning_summary_part', text: 'response.reasoning_summary_text' }
const textNames = { part: 'response.content_part', text: 'response.output_text' }

function partEvents(part: { readonly text: unknown }, at: object, names: typeof textNames): readonly Event[] {
  const text = String(part.text)
  const logprobs = names === textNames ? { logprobs: [] } : {}
  return [
    { type: `${names.part}.added`, ...at, part: { ...part, text: '' } },
    ...splitText(text).map((delta) => ({ type: `${names.text}.delta`, ...at, delta, ...logprobs })),
    { type: `${names.text}.done`, ...at, text, ...logprobs },
    { type: `${names.part}.done`, ...at, part },
  ]
}
