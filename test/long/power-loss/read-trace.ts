import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'

/** The changes of a process to its files, in the order in which the system made them. */
export type DiskStep =
  | { readonly type: 'write'; readonly file: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly type: 'truncate'; readonly file: string; readonly length: number }
  | { readonly type: 'sync'; readonly file: string }
  | { readonly type: 'unlink'; readonly file: string }
  | { readonly type: 'committed'; readonly rows: number }

const TEXT = /"((?:\\x[0-9a-f]{2})*)"/

/** The steps in an output of `strace -f -y -xx`, of the files named; a sync of their folder is one of its name. */
export async function* readTrace(path: string, files: readonly string[]): AsyncGenerator<DiskStep> {
  const unfinished = new Map<string, string>()
  for await (const line of createInterface({ input: createReadStream(path, 'utf8') })) {
    const [, thread = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    if (rest.endsWith('<unfinished ...>')) {
      unfinished.set(thread, rest.slice(0, -'<unfinished ...>'.length))
      continue
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)
    const call = resumed === null ? rest : `${unfinished.get(thread) ?? ''}${resumed[1]}`
    const step = readCall(call)
    if (step !== undefined && (step.type === 'committed' || files.includes(step.file))) yield step
  }
}

function readCall(call: string): DiskStep | undefined {
  const [, name, file = ''] = /^(\w+)\((?:\d+<([^>]*)>|)/.exec(call) ?? []
  const result = Number(/= (-?\d+)[^=]*$/.exec(call)?.[1] ?? -1)
  if (name === undefined || result < 0) return undefined
  switch (name) {
    case 'pwrite64': {
      const offset = Number(/, (\d+)\s*\) += /.exec(call)?.[1])
      return { type: 'write', file: nameOf(file), offset, bytes: bytesOf(call).subarray(0, result) }
    }
    case 'write': {
      const [, rows] = /^COMMITTED (\d+)/.exec(bytesOf(call).toString()) ?? []
      return rows === undefined ? undefined : { type: 'committed', rows: Number(rows) }
    }
    case 'fsync':
    case 'fdatasync':
      return { type: 'sync', file: nameOf(file) }
    case 'ftruncate':
      return { type: 'truncate', file: nameOf(file), length: Number(/, (\d+)\s*\) += /.exec(call)?.[1]) }
    case 'unlink':
      return { type: 'unlink', file: nameOf(bytesOf(call).toString()) }
    default:
      return undefined
  }
}

function bytesOf(call: string): Buffer {
  return Buffer.from((TEXT.exec(call)?.[1] ?? '').replaceAll('\\x', ''), 'hex')
}

/** A path is written as text or as hexadecimal. */
function nameOf(path: string): string {
  return basename(path.startsWith('\\x') ? Buffer.from(path.replaceAll('\\x', ''), 'hex').toString() : path)
}
