import type { FaultInput } from '../script/fault-schema.ts'
import type { UpstreamScriptInput } from '../script/script-schema.ts'

/** A script for one fault of the table in docs/invariants.md, and the requests that show it. */
export interface ReadyScript {
  /** The row of the table, such as `F8`. */
  readonly id: string
  /** A unique name that begins with the fault's row, such as `F8-reset`. */
  readonly name: string
  readonly description: string
  /** Whether the fault happens before or after the first content of the answer is sent. */
  readonly phase: 'before-content' | 'after-content'
  readonly forms: readonly ('stream' | 'whole')[]
  readonly formats: readonly ('chat' | 'messages')[]
  readonly script: UpstreamScriptInput
  /** The origin to connect to instead of the upstream's own, for a fault of the address. */
  readonly origin?: string
  /** The one who causes the fault, if not the upstream. */
  readonly actor?: 'caller' | 'gateway'
}

export const both: ReadyScript['forms'] = ['stream', 'whole']
export const streams: ReadyScript['forms'] = ['stream']
export const wholes: ReadyScript['forms'] = ['whole']

type ReadyScriptOptions = Omit<ReadyScript, 'id' | 'formats' | 'script'> & {
  readonly formats?: ReadyScript['formats']
  readonly script?: UpstreamScriptInput
  /** The fault of every request, instead of a script. */
  readonly always?: FaultInput
}

/** The row is the part of the name before the first dash. */
export function readyScript({ always, script, formats, ...rest }: ReadyScriptOptions): ReadyScript {
  const rules = always === undefined ? {} : { rules: [{ do: always }] }
  const id = rest.name.split('-')[0] ?? rest.name
  return { ...rest, id, formats: formats ?? ['chat', 'messages'], script: { ...rules, ...script } }
}
