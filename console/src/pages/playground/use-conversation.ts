import { useCallback, useEffect, useRef, useState } from 'react'
import { tabStorage } from '../../browser/browser-storage.ts'
import {
  type AssistantTurn,
  type Conversation,
  conversationSchema,
  dropImages,
  emptyConversation,
  isRunning,
  type ModelColumn,
  startedTurn,
  type Turn,
} from './conversation.ts'
import { streamAnswer } from './stream-answer.ts'
import { writeChatBody } from './write-chat-body.ts'

const NAME = 'playground'
/** The delay without changes before the conversation is stored. */
const REST_MS = 300

function remember(): Conversation {
  try {
    const read = conversationSchema.safeParse(JSON.parse(tabStorage.read(NAME) ?? 'null'))
    return read.success ? endRunning(read.data) : emptyConversation
  } catch {
    // The stored text is not JSON, so other code wrote it.
    return emptyConversation
  }
}

/** A response that was streaming when the page was left no longer arrives. */
function endRunning(conversation: Conversation): Conversation {
  const end = (turn: Turn): Turn =>
    turn.role === 'assistant' && turn.state === 'running' ? { ...turn, state: 'left' } : turn
  const columns = conversation.columns.map((column) => ({ ...column, turns: column.turns.map(end) }))
  return { ...conversation, columns }
}

/** Names of models that cannot chat. They are not suggested, but the user can type them. */
const NOT_FOR_CHAT = /embed|rerank|rank-|moderation|image|dall-e|whisper|tts|speech|transcri|audio|sound/i

/** The first model of a column. Columns side by side start with different models if there are several. */
function offerModel(models: readonly string[], index: number): string {
  const fitting = models.filter((model) => !NOT_FOR_CHAT.test(model))
  const offered = fitting.length === 0 ? models : fitting
  return offered[index % Math.max(1, offered.length)] ?? ''
}

/** A user who has signed out leaves nothing in the tab. */
function store(conversation: Conversation): void {
  if (tabStorage.read('user') === undefined || tabStorage.write(NAME, JSON.stringify(conversation))) return
  tabStorage.write(NAME, JSON.stringify(dropImages(conversation)))
}

/** Stores a conversation when it rests, and at once when its page is left, in the middle of an answer too. */
function useStorage(conversation: Conversation): void {
  const latest = useRef(conversation)
  latest.current = conversation
  useEffect(() => {
    const timer = setTimeout(() => store(conversation), REST_MS)
    return () => clearTimeout(timer)
  }, [conversation])
  useEffect(() => {
    const storeLatest = () => store(latest.current)
    window.addEventListener('pagehide', storeLatest)
    return () => {
      window.removeEventListener('pagehide', storeLatest)
      storeLatest()
    }
  }, [])
}

export type Talk = ReturnType<typeof useConversation>

/**
 * The conversation of this tab, which survives a reload, and the responses in progress. A column without a model
 * shows one of `models`.
 */
export function useConversation(models: readonly string[]) {
  const [conversation, setConversation] = useState(remember)
  const running = useRef(new Map<string, AbortController>())
  useStorage(conversation)
  useEffect(() => {
    const under = running.current
    return () => {
      for (const controller of under.values()) controller.abort()
    }
  }, [])

  const changeColumn = useCallback((id: string, change: (column: ModelColumn) => ModelColumn) => {
    setConversation((before) => ({
      ...before,
      columns: before.columns.map((column) => (column.id === id ? change(column) : column)),
    }))
  }, [])

  /** Adds a turn to a column and sends the request to its model. */
  const ask = useCallback(
    async (column: ModelColumn, turn: Turn) => {
      const extended = { ...column, turns: [...column.turns, turn] }
      const controller = new AbortController()
      running.current.set(column.id, controller)
      const show = (answer: AssistantTurn) =>
        changeColumn(column.id, (now) => ({ ...now, turns: [...extended.turns, answer] }))
      show(startedTurn)
      const answer = await streamAnswer({
        body: writeChatBody(extended, conversation.settings),
        channel: column.channel,
        signal: controller.signal,
        onProgress: show,
      })
      running.current.delete(column.id)
      show(answer)
    },
    [changeColumn, conversation.settings],
  )

  const stop = useCallback((id?: string) => {
    for (const [name, controller] of running.current) if (id === undefined || id === name) controller.abort()
  }, [])

  return {
    conversation,
    setConversation,
    changeColumn,
    ask,
    stop,
    columns: conversation.columns.map((column, index) =>
      column.model === '' ? { ...column, model: offerModel(models, index) } : column,
    ),
    isRunning: conversation.columns.some(isRunning),
  }
}
