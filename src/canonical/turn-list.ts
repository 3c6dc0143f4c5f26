import type { ToolResultBlock } from './content.ts'
import type { Turn } from './request.ts'

/** A turn of the user, the assistant or the system. */
export type SpokenTurn = Exclude<Turn, { readonly role: 'tool' }>

/** The turns of a request that is being read, in normal form: consecutive tool results make one turn. */
export class TurnList {
  readonly #turns: Turn[] = []
  /** The results of the last tool turn. */
  #results: ToolResultBlock[] = []

  get all(): readonly Turn[] {
    return this.#turns
  }

  get last(): Turn | undefined {
    return this.#turns.at(-1)
  }

  add(turn: SpokenTurn): void {
    this.#turns.push(turn)
  }

  /** Adds a result to the last turn if that is a tool turn, otherwise to a new one. */
  addResult(result: ToolResultBlock): void {
    if (this.last?.role !== 'tool') {
      this.#results = []
      this.#turns.push({ role: 'tool', results: this.#results })
    }
    this.#results.push(result)
  }
}
