import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'

/** Describes the commit and the machine that were measured. */
export function describeRun(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  return `Commit ${commit}, ${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}, Node ${process.version}`
}
