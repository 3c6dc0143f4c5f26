import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'

const BYTES_PER_GIB = 2 ** 30

/** Describes the day, the commit and the machine of a measurement. */
export function describeRun(): string {
  const day = new Date().toISOString().slice(0, 10)
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const memory = `${(totalmem() / BYTES_PER_GIB).toFixed(1)} GiB`
  return [
    `Measured ${day}`,
    `commit ${commit}`,
    `${describeProcessor()} × ${cpus().length}`,
    `${type()} ${release()}`,
    `${memory}${describeMemoryLimit()}`,
    `Node ${process.version}`,
  ].join(', ')
}

/** The model's name; with its numbers on Linux, since a virtual machine may hide the name. */
function describeProcessor(): string {
  const name = cpus()[0]?.model ?? 'unknown'
  const facts = readText('/proc/cpuinfo')
  const numbers = ['cpu family', 'model', 'stepping'].flatMap((field) => {
    const value = new RegExp(`^${field}\\s*: (\\d+)$`, 'm').exec(facts)?.[1]
    return value === undefined ? [] : [`${field.replace('cpu ', '')} ${value}`]
  })
  return numbers.length === 0 ? name : `${name} (${numbers.join(' ')})`
}

/** The limit of the container, where it has one. */
function describeMemoryLimit(): string {
  const limit = Number(readText('/sys/fs/cgroup/memory.max'))
  return limit > 0 ? ` (limit ${(limit / BYTES_PER_GIB).toFixed(1)} GiB)` : ''
}

/** Empty where the system has no such file. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}
