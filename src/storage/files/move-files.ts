import { renameSync } from 'node:fs'
import { OperatorError } from '../../canonical/operator-error.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'

export interface FileMove {
  readonly from: string
  readonly to: string
}

/**
 * Moves all files, or none: if one cannot be moved, those before it go back. Fails with `restore_unfinished` only where
 * a file cannot go back either.
 */
export function moveFiles(moves: readonly FileMove[]): void {
  const done: FileMove[] = []
  for (const move of moves) {
    try {
      renameSync(move.from, move.to)
    } catch (error) {
      moveBack(done, error)
      throw error
    }
    done.push(move)
  }
}

function moveBack(done: readonly FileMove[], cause: unknown): void {
  const left: string[] = []
  for (const { from, to } of done.toReversed()) {
    try {
      renameSync(to, from)
    } catch (error) {
      left.push(`${to} (${reasonOf(error)})`)
    }
  }
  if (left.length === 0) return
  const happened = `${reasonOf(cause)}; the files that were moved before that could not all be moved back: ${left.join(', ')}`
  throw new OperatorError('restore_unfinished', happened, { cause })
}
