import { readdirSync, readFileSync } from 'node:fs'

export interface ListedPart {
  readonly pid: number
  readonly part: string
}

/** The processes that a supervisor has started, as Linux lists them. */
export function listParts(supervisor: number): readonly ListedPart[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const [, parent] = /^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')
      if (Number(parent) !== supervisor || !words.includes('part')) return []
      return [{ pid: Number(name), part: words.filter((word) => word !== '').at(-1) ?? '' }]
    } catch {
      // The process has ended meanwhile.
      return []
    }
  })
}
