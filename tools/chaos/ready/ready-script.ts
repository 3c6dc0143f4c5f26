import type { FaultInput } from '../script/fault-schema.ts'
import type { UpstreamScriptInput } from '../script/script-schema.ts'

/** A script for one fault of the table in docs/chaos.md, and where the fault can be seen. */
export interface ReadyScript {
  /** The row of the table, such as `F8`. */
  readonly id: string
  /** Unique, begins with the row: `F8-reset`. */
  readonly name: string
  readonly description: string
  /** Whether words of the answer have left before it happens. */
  readonly phase: 'before-content' | 'after-content'
  readonly forms: readonly ('stream' | 'whole')[]
  readonly formats: readonly ('chat' | 'messages')[]
  readonly script: UpstreamScriptInput
  /** Where the fault lies in the address, this stands in place of the upstream's own. */
  readonly origin?: string
  /** Who has to act for the fault to happen, where it is not the upstream. */
  readonly actor?: 'caller' | 'gateway'
}

export const both: ReadyScript['forms'] = ['stream', 'whole']
export const streams: ReadyScript['forms'] = ['stream']
export const wholes: ReadyScript['forms'] = ['whole']

type ReadyWish = Omit<ReadyScript, 'id' | 'formats' | 'script'> & {
  readonly formats?: ReadyScript['formats']
  readonly script?: UpstreamScriptInput
  /** In place of a script: what goes wrong with every request. */
  readonly always?: FaultInput
}

/** The row is what stands before the first dash of the name. */
export function readyScript({ always, script, formats, ...wish }: ReadyWish): ReadyScript {
  const rules = always === undefined ? {} : { rules: [{ do: always }] }
  const id = wish.name.split('-')[0] ?? wish.name
  return { ...wish, id, formats: formats ?? ['chat', 'messages'], script: { ...rules, ...script } }
}
