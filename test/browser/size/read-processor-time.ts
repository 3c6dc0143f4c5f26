import { readdirSync, readFileSync } from 'node:fs'

const MS_A_TICK = 10

/**
 * Milliseconds of processor time that the descendants of this process have used, the gateway and the browser. It says
 * what a page costs on a machine whose other work makes the clock say little (Linux alone).
 */
export function readProcessorTime(): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess)
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]))
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid)
    return parent !== undefined && (parent === process.pid || isBelow(parent))
  }
  return all.filter(({ pid }) => isBelow(pid)).reduce((sum, { ticks }) => sum + ticks * MS_A_TICK, 0)
}

function readProcess(
  name: string,
): { readonly pid: number; readonly parent: number; readonly ticks: number }[] {
  try {
    const [, fields = ''] = readFileSync(`/proc/${name}/stat`, 'utf8').split(/\) (.*)/s)
    const numbers = fields.split(' ').map(Number)
    return [{ pid: Number(name), parent: numbers[1] ?? 0, ticks: (numbers[11] ?? 0) + (numbers[12] ?? 0) }]
  } catch (error) {
    // It ended meanwhile.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return []
    throw error
  }
}
