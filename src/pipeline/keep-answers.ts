import type { KeptAnswerChange, KeptAnswerStore } from '../access/kept-answer-store.ts'
import type { Clock } from '../kit/clock.ts'
import { createDelayedSave } from '../kit/delayed-save.ts'
import { innerReasonOf } from '../kit/inner-reason-of.ts'
import { KEPT_ANSWER_LIFETIME_MS, KeptAnswers } from './kept-answers.ts'

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
  const saving = createDelayedSave({
    clock,
    save: saveWaiting,
    onFailure: (error) => warn(`whose answers providers keep cannot be saved: ${innerReasonOf(error)}`),
  })

  function noteChange(change: KeptAnswerChange) {
    waiting.set(`${change.keyId} ${change.id}`, change)
    dropOver()
    saving.note()
  }

  function dropOver() {
    for (const [place] of waiting) {
      if (waiting.size <= MAX_WAITING) return
      waiting.delete(place)
    }
  }

  async function saveWaiting(): Promise<void> {
    if (waiting.size === 0) return
    const changes = waiting
    waiting = new Map()
    try {
      await store.save([...changes.values()])
    } catch (error) {
      // What changed meanwhile is newer.
      for (const [place, change] of waiting) changes.set(place, change)
      waiting = changes
      dropOver()
      throw error
    }
  }

  return {
    answers,
    async load() {
      try {
        answers.restore(await store.load(clock.nowMs() - KEPT_ANSWER_LIFETIME_MS))
      } catch (error) {
        warn(`whose answers providers keep cannot be read, so none is known: ${innerReasonOf(error)}`)
      }
    },
    close: saving.close,
  }
}
