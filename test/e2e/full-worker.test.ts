import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { channelYaml } from '../support/channel-yaml.ts'
import { startWorkers } from '../support/start-workers.ts'

const yaml = channelYaml({ name: 'one', format: 'chat', origin: 'http://127.0.0.1:9', models: ['m'] })

/** Lets a process open no more files than it has open. */
function fill(pid: number): void {
  const used = new Set(readdirSync(`/proc/${pid}/fd`).map(Number))
  let free = 0
  while (used.has(free)) free += 1
  execFileSync('prlimit', ['--pid', `${pid}`, `--nofile=${free}:`])
}

const empty = (pid: number) => execFileSync('prlimit', ['--pid', `${pid}`, '--nofile=4096:'])

it('a connection that a worker has no descriptor for is served by another one, or by itself later', async () => {
  await using started = await startWorkers(yaml, 2)
  const ask = async () => {
    const signal = AbortSignal.timeout(20_000)
    const answer = await fetch(`${started.url}/healthz`, { headers: { connection: 'close' }, signal })
    return answer.status
  }
  const [first = 0, second = 0] = started.pids('worker')
  fill(first)
  const asked = Array.from({ length: 6 }, ask)
  expect(await Promise.all(asked)).toEqual(asked.map(() => 200))
  fill(second)
  const waiting = ask()
  empty(first)
  expect(await waiting).toBe(200)
}, 120_000)
