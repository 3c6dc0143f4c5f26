import type { KeptAnswerChange, KeptAnswerStore } from '../access/kept-answer-store.ts'
import type { Clock, Timer } from '../kit/clock.ts'
import { KEPT_ANSWER_LIFETIME_MS, KeptAnswers } from './kept-answers.ts'

/** Changes wait for each other so long, and are then saved together. */
const SAVE_AFTER_MS = 2_000
const RETRY_AFTER_MS = 30_000
/** More than a store that works ever leaves. */
const MAX_WAITING = 100_000

export interface AnswerKeeperParts {
  readonly store: KeptAnswerStore
  readonly clock: Clock
  /** Told once when the store begins to fail. */
  readonly warn: (message: string) => void
}

/** Keeps over a restart whose answers providers keep. No request waits for it or fails by it. */
export interface AnswerKeeper {
  readonly answers: KeptAnswers
  /** Brings back what was kept. Where that cannot be read, nothing is known. */
  load(): Promise<void>
  /** Saves what still waits, if that can be done. */
  close(): Promise<void>
}

export function createAnswerKeeper({ store, clock, warn }: AnswerKeeperParts): AnswerKeeper {
  const answers = new KeptAnswers({ clock, onChange: noteChange })
  let waiting = new Map<string, KeptAnswerChange>()
  let timer: Timer | undefined
  let saving: Promise<void> = Promise.resolve()
  let isFailing = false
  let isClosed = false

  function noteChange(change: KeptAnswerChange) {
    waiting.set(`${change.keyId} ${change.id}`, change)
    dropOver()
    if (!isClosed) saveAfter(SAVE_AFTER_MS)
  }

  function dropOver() {
    for (const [place] of waiting) {
      if (waiting.size <= MAX_WAITING) return
      waiting.delete(place)
    }
  }

  function saveAfter(delayMs: number) {
    timer ??= clock.startTimer(delayMs, () => {
      timer = undefined
      void save()
    })
  }

  function save(): Promise<void> {
    saving = saving.then(saveNow)
    return saving
  }

  async function saveNow(): Promise<void> {
    if (waiting.size === 0) return
    const changes = waiting
    waiting = new Map()
    try {
      await store.save([...changes.values()])
      isFailing = false
    } catch (error) {
      // What changed meanwhile is newer.
      for (const [place, change] of waiting) changes.set(place, change)
      waiting = changes
      dropOver()
      if (!isFailing) warn(`whose answers providers keep cannot be saved: ${reasonOf(error)}`)
      isFailing = true
      if (!isClosed) saveAfter(RETRY_AFTER_MS)
    }
  }

  return {
    answers,
    async load() {
      try {
        answers.restore(await store.load(clock.nowMs() - KEPT_ANSWER_LIFETIME_MS))
      } catch (error) {
        warn(`whose answers providers keep cannot be read, so none is known: ${reasonOf(error)}`)
      }
    },
    async close() {
      isClosed = true
      timer?.cancel()
      await save()
    },
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
