import { z } from 'zod'

/** A tool call by a model, with the arguments exactly as the model wrote them. */
const callSchema = z.object({
  id: z.string(),
  /** The number by which later chunks name the call. Servers count from 0 or 1, or send none. */
  index: z.number().nullable().default(null),
  name: z.string(),
  input: z.string(),
})

const figuresSchema = z.object({
  firstMs: z.number().nullable(),
  totalMs: z.number().nullable(),
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  costUsd: z.number().nullable(),
  channel: z.string().nullable(),
})

const turnSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), text: z.string(), images: z.array(z.string()) }),
  z.object({
    role: z.literal('assistant'),
    text: z.string(),
    reasoning: z.string(),
    calls: z.array(callSchema),
    /** `left`: the page was left or loaded again while the answer came. */
    state: z.enum(['running', 'whole', 'stopped', 'left', 'failed']),
    /** The reason for a failure, as the gateway words it. */
    error: z.string().nullable(),
    /** The limit or filter that ended the answer early. */
    cutBy: z.enum(['length', 'content_filter']).nullable().default(null),
    figures: figuresSchema,
  }),
  z.object({
    role: z.literal('tool'),
    results: z.array(z.object({ callId: z.string(), text: z.string() })),
  }),
])

const columnSchema = z.object({
  id: z.string(),
  model: z.string(),
  channel: z.string(),
  turns: z.array(turnSchema),
})

const settingsSchema = z.object({
  system: z.string(),
  /** Tool definitions in the chat format, as JSON. */
  tools: z.string(),
  temperature: z.string(),
  maxTokens: z.string(),
})

export const conversationSchema = z.object({
  settings: settingsSchema,
  draft: z.string(),
  /** The pictures of the draft. */
  images: z.array(z.string()).default([]),
  /** Whether pictures are missing, because the browser had no room for them. */
  lacksImages: z.boolean().default(false),
  columns: z.array(columnSchema).min(1).max(4),
})

export type Conversation = z.output<typeof conversationSchema>
/** The message that is written and not sent yet. */
export type DraftMessage = Pick<Conversation, 'draft' | 'images'>
export type PlaygroundSettings = z.output<typeof settingsSchema>
export type ModelColumn = z.output<typeof columnSchema>
export type Turn = z.output<typeof turnSchema>
export type AssistantTurn = Extract<Turn, { readonly role: 'assistant' }>
export type ToolCall = z.output<typeof callSchema>
export type AnswerFigures = z.output<typeof figuresSchema>

export const MAX_COLUMNS = 4

function openColumn(id: string, model: string): ModelColumn {
  return { id, model, channel: '', turns: [] }
}

export const emptyConversation: Conversation = {
  settings: { system: '', tools: '', temperature: '', maxTokens: '' },
  draft: '',
  images: [],
  lacksImages: false,
  columns: [openColumn('1', ''), openColumn('2', '')],
}

/** Adds a column with the next suggested model. */
export function addColumn(conversation: Conversation): Conversation {
  const { columns } = conversation
  const id = String(Math.max(0, ...columns.map((column) => Number(column.id))) + 1)
  return { ...conversation, columns: [...columns, openColumn(id, '')] }
}

export function removeColumn(conversation: Conversation, id: string): Conversation {
  return { ...conversation, columns: conversation.columns.filter((column) => column.id !== id) }
}

/** Starts a new conversation with the same models and settings. */
export function clearTurns(conversation: Conversation): Conversation {
  const columns = conversation.columns.map((column) => ({ ...column, turns: [] }))
  return { ...conversation, draft: '', images: [], lacksImages: false, columns }
}

/** The conversation without its pictures, for a browser that has no room for them. */
export function dropImages(conversation: Conversation): Conversation {
  const strip = (turn: Turn): Turn => (turn.role === 'user' ? { ...turn, images: [] } : turn)
  const columns = conversation.columns.map((column) => ({ ...column, turns: column.turns.map(strip) }))
  return { ...conversation, images: [], lacksImages: true, columns }
}

export const noFigures: AnswerFigures = {
  firstMs: null,
  totalMs: null,
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
  channel: null,
}

export const startedTurn: AssistantTurn = {
  role: 'assistant',
  text: '',
  reasoning: '',
  calls: [],
  state: 'running',
  error: null,
  cutBy: null,
  figures: noFigures,
}

/** The calls of the last response that have no result yet. */
export function openCallsOf({ turns }: ModelColumn): AssistantTurn['calls'] {
  const last = turns.at(-1)
  return last?.role === 'assistant' && last.state === 'whole' ? last.calls : []
}

/** The column up to its last request, without the response. If no request was sent yet, it is the draft message. */
export function findLastRequest(column: ModelColumn, { draft, images }: DraftMessage): ModelColumn {
  const last = column.turns.findLastIndex(({ role }) => role !== 'assistant')
  if (last >= 0) return { ...column, turns: column.turns.slice(0, last + 1) }
  return { ...column, turns: [{ role: 'user', text: draft, images }] }
}

export function isRunning({ turns }: ModelColumn): boolean {
  const last = turns.at(-1)
  return last?.role === 'assistant' && last.state === 'running'
}
