// What a warm request allocates on the main thread, by stage: bytes of objects, most of which the collector frees soon.
// The numbers do not depend on the speed of the machine, only on the versions of Node and of the source.
// node bench/allocations.ts [--details]: also prints the functions that allocate most.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import nodeOptions from '../bin/node-options.json' with { type: 'json' }
import { type AccountedOptions, accountedConfiguration } from './accounted-configuration.ts'
import { describeRun } from './describe-run.ts'
import { runLoad } from './load.ts'
import { makeBody } from './make-body.ts'
import { type AllocationProfile, sumByFunction, sumByStage, toTimeProfile } from './profile-stages.ts'
import { type StartedProcess, startProcess } from './start-process.ts'

const KEY = 'bench-key-0123456789abcdef'
const WARM_UP_REQUESTS = Number(process.env['BENCH_WARM_UP'] ?? 30_000)
const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 10_000)
const MOST_NAMED = Number(process.env['BENCH_NAMED'] ?? 60)
const withDetails = process.argv.includes('--details')

const folder = mkdtempSync(join(tmpdir(), 'headgate-allocations-'))
const running: StartedProcess[] = []
try {
  const mock = await start(1, ['bench/mock-upstream.ts'])
  const upstream = `http://127.0.0.1:${mock.firstLine}`
  const sections: string[] = []
  for (const accounting of ['none', 'exact'] as const)
    sections.push(...(await measure({ accounting, upstream, data: join(folder, accounting) })))
  report(sections)
} finally {
  await Promise.all(running.map((one) => one.stop()))
  rmSync(folder, { recursive: true, force: true })
}

async function measure(options: AccountedOptions): Promise<readonly string[]> {
  const config = join(folder, `${options.accounting}.yaml`)
  writeFileSync(config, accountedConfiguration(options))
  const profilePath = join(folder, `${options.accounting}.heapprofile`)
  const gateway = await start(0, [
    ...nodeOptions,
    'bench/profiled-headgate.ts',
    config,
    profilePath,
    'memory',
  ])
  const load = {
    origin: `http://127.0.0.1:${gateway.firstLine}`,
    path: '/v1/chat/completions',
    key: KEY,
    body: makeBody(1, false),
    concurrency: 64,
  }
  await runLoad({ ...load, requests: WARM_UP_REQUESTS })
  process.kill(gateway.pid, 'SIGUSR2')
  await runLoad({ ...load, requests: REQUESTS })
  process.kill(gateway.pid, 'SIGUSR2')
  const profile = toTimeProfile(await takeProfile(profilePath))
  await gateway.stop()
  const all = profile.timeDeltas.reduce((sum, bytes) => sum + bytes, 0) / REQUESTS
  if (withDetails) {
    process.stdout.write(`\naccounting: ${options.accounting}\n`)
    for (const { label, us: bytes } of sumByFunction(profile).slice(0, MOST_NAMED))
      process.stdout.write(`${(bytes / REQUESTS).toFixed(0).padStart(8)}  ${label}\n`)
  }
  return [
    `## accounting: ${options.accounting}: ${(all / 1024).toFixed(1)} KB a request`,
    '',
    '| stage | bytes |',
    '| --- | --- |',
    ...sumByStage(profile).map(({ stage, share }) => `| ${stage} | ${(share * all).toFixed(0)} |`),
    '',
  ]
}

async function takeProfile(path: string): Promise<AllocationProfile> {
  while (!existsSync(path)) await pause(100)
  await pause(500)
  return JSON.parse(readFileSync(path, 'utf8'))
}

function report(sections: readonly string[]): void {
  const text = [
    `${describeRun()}. A whole answer to a request of 1 KB, main thread, ${REQUESTS} requests after ${WARM_UP_REQUESTS}.`,
    '',
    'An allocation belongs to the innermost function of the gateway or of undici that is on the stack; `in Node` is what',
    'functions of Node allocate that it calls. Sampled every 2 KB, so that small numbers are estimates.',
    '',
    ...sections,
  ].join('\n')
  process.stdout.write(`\n${text}`)
  mkdirSync('bench/results', { recursive: true })
  writeFileSync('bench/results/allocations.md', text)
}

async function start(core: number, args: readonly string[], environment: Record<string, string> = {}) {
  const one = await startProcess({ core, args, environment })
  running.push(one)
  return one
}
