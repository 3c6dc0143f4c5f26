import type { LossList } from '../../../canonical/loss.ts'
import { type ConverseModel, type Dialect, plainConverseModel } from '../../dialect.ts'

/** The context that every writer of a part of a request needs. */
export interface WriteContext {
  readonly dialect: Dialect
  readonly model: ConverseModel
  readonly losses: LossList
  /**
   * The names of the documents so far, since no two may have the same, and the number that the next of each name gets.
   */
  readonly documentNames: Map<string, number>
}

export function createWriteContext(dialect: Dialect, losses: LossList): WriteContext {
  return { dialect, model: dialect.converseModel ?? plainConverseModel, losses, documentNames: new Map() }
}
