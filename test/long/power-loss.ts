// Cuts the power at every boundary of what the ledger wrote: the writes and fsyncs of a process are recorded
// with strace, and the disk is rebuilt as it may be after each of them. (a) Nothing is on it that no fsync
// brought there. (b) All writes so far are on it. (c) Some of the writes since the last fsync are, one of
// them torn. What was acknowledged as committed must be there, every commit whole, and the sums must be those
// of the rows. With `synchronous=normal` the same must fail. COMMITS and SEED by the environment.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROWS_PER_COMMIT } from './power-loss/crash-batch.ts'
import { PowerCuts } from './power-loss/power-cuts.ts'
import { readTrace } from './power-loss/read-trace.ts'

const COMMITS = Number(process.env['COMMITS'] ?? 250)
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const FOLDER = 'data'
const FILES = ['ledger.db', 'ledger.db-wal', 'ledger.db-journal', FOLDER]
const REPORTED = 10
/** Images are read far more often than a disk likes. */
const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

if (spawnSync('strace', ['--version']).status !== 0) {
  process.stdout.write('power loss: SKIPPED, as strace is not installed\n')
} else {
  const full = await cutPower('full')
  const normal = await cutPower('normal')
  if (full.lost + full.damaged > 0) process.exitCode = 1
  if (normal.lost === 0) {
    process.stdout.write('power loss: synchronous=normal lost nothing, so that this test sees nothing\n')
    process.exitCode = 1
  }
}

interface Verdict {
  readonly lost: number
  readonly damaged: number
}

async function cutPower(durability: 'full' | 'normal'): Promise<Verdict> {
  const folder = mkdtempSync(join(memory, 'headgate-power-'))
  try {
    const trace = join(folder, 'trace')
    record(join(folder, FOLDER), durability, trace)
    const cuts = new PowerCuts(folder, { folderName: FOLDER, seed: SEED })
    for await (const step of readTrace(trace, FILES)) cuts.take(step)
    process.stdout.write(
      `power loss (seed ${SEED}), synchronous=${durability}: ${COMMITS} commits of ${ROWS_PER_COMMIT} rows, ${cuts.writes} writes, ${cuts.syncs} fsyncs, ${cuts.images} images of the disk; with committed rows lost ${cuts.lost}, damaged ${cuts.damaged}\n`,
    )
    for (const line of cuts.failures.slice(0, durability === 'full' ? REPORTED : 1))
      process.stdout.write(`  ${line}\n`)
    return cuts
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function record(data: string, durability: string, trace: string): void {
  mkdirSync(data)
  const script = join(import.meta.dirname, 'power-loss', 'write-ledger.ts')
  const calls = 'trace=pwrite64,write,fsync,fdatasync,ftruncate,unlink'
  const strace = ['-f', '-y', '-xx', '-s', '1048576', '-e', calls, '-o', trace]
  const child = [process.execPath, script, data, durability, String(COMMITS)]
  const { status, stderr } = spawnSync('strace', [...strace, ...child], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The recorded process failed: ${stderr}`)
}
