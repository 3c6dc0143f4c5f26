import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { channelYaml } from '../support/channel-yaml.ts'
import { createGate } from '../support/gate.ts'
import { runHeadgate } from '../support/run-headgate.ts'
import { openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startProcess } from '../support/start-process.ts'
import { startWorkers, workerKey } from '../support/start-workers.ts'
import { until, untilAsync } from '../support/until.ts'

const LIMIT_MS = 120_000
const nodesSchema = z.object({ data: z.array(z.looseObject({ streams: z.number() })) })
const whole = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
}
const yaml = channelYaml({ name: 'one', format: 'chat', origin: 'http://127.0.0.1:9', models: ['m'] })

it('a restart replaces all processes, and ends once the new ones serve', { timeout: LIMIT_MS }, async () => {
  const started = await startWorkers(yaml, 1)
  onTestFinished(() => started[Symbol.asyncDispose]())
  const [owners, workers] = [started.pids('owner'), started.pids('worker')]
  const { code, output, errors } = await runHeadgate(['restart'], { folder: started.folder })
  expect({ code, output, errors }).toEqual({
    code: 0,
    output: 'restarted: new processes serve, and the old ones finish their running answers\n',
    errors: '',
  })
  expect(started.pids('owner').filter((pid) => !owners.includes(pid))).toHaveLength(1)
  expect(started.pids('worker').filter((pid) => !workers.includes(pid))).toHaveLength(1)
  expect((await started.admin('GET', '/nodes'))['data']).toBeDefined()
})

it('a second server on the data folder is refused, and the first continues', {
  timeout: LIMIT_MS,
}, async () => {
  const started = await startWorkers(yaml, 1)
  onTestFinished(() => started[Symbol.asyncDispose]())
  const [owners, workers] = [started.pids('owner'), started.pids('worker')]
  const { code, errors } = await runHeadgate(['serve'], { folder: started.folder })
  expect(code).toBe(1)
  expect(errors).toContain('another "headgate serve" uses the data folder')
  expect(errors).toContain('[data_folder_in_use]')
  expect([started.pids('owner'), started.pids('worker')]).toEqual([owners, workers])
})

it('a request that is repeated after a restart joins the call of a process that is being replaced', {
  timeout: LIMIT_MS,
}, async () => {
  const gate = createGate()
  await using upstream = await openScriptedUpstream(() => ({
    headers: { 'content-type': 'application/json' },
    chunks: [gate.opened, JSON.stringify(whole)],
  }))
  const channel = channelYaml({ name: 'one', format: 'chat', origin: upstream.origin, models: ['m'] })
  const started = await startWorkers(channel, 1)
  onTestFinished(() => started[Symbol.asyncDispose]())
  const ask = async () => {
    const answer = await fetch(`${started.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${workerKey}`,
        'content-type': 'application/json',
        'idempotency-key': 'one',
        connection: 'close',
      },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    return { status: answer.status, isReplay: answer.headers.get('x-headgate-idempotent-replay') }
  }
  const first = ask()
  await until('the provider is asked', () => upstream.requests.length === 1)
  await started.restart()
  const second = ask()
  await untilAsync('both requests are in progress', async () => {
    const { data } = nodesSchema.parse(await started.admin('GET', '/nodes'))
    return data.reduce((sum, { streams }) => sum + streams, 0) === 2
  })
  gate.open()
  expect(await first).toEqual({ status: 200, isReplay: null })
  expect(await second).toEqual({ status: 200, isReplay: 'true' })
  expect(upstream.requests).toHaveLength(1)
})

it('a restart with an invalid configuration reports that, and changes nothing', {
  timeout: LIMIT_MS,
}, async () => {
  const started = await startWorkers(yaml, 1)
  onTestFinished(() => started[Symbol.asyncDispose]())
  const [owners, workers] = [started.pids('owner'), started.pids('worker')]
  writeFileSync(join(started.folder, 'headgate.yaml'), `data: ${join(started.folder, 'data')}\nchanels: []\n`)
  const { code, errors } = await runHeadgate(['--data', 'data', 'restart'], { folder: started.folder })
  expect(code).toBe(1)
  expect(errors).toMatch(/not restarted, the previous processes go on: .*chanels.*\[restart_failed\]/)
  expect([started.pids('owner'), started.pids('worker')]).toEqual([owners, workers])
})

it('a restart with another listener is refused, and one with another drain ends by that', {
  timeout: LIMIT_MS,
}, async () => {
  const started = await startWorkers(yaml, 1)
  onTestFinished(() => started[Symbol.asyncDispose]())
  const [owners, workers] = [started.pids('owner'), started.pids('worker')]
  const file = join(started.folder, 'headgate.yaml')
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, `admin: { listen: 127.0.0.1:0 }\n${before}`)
  const { code, errors } = await runHeadgate(['restart'], { folder: started.folder })
  expect({ code, errors }).toEqual({
    code: 1,
    errors:
      'headgate: not restarted, the previous processes go on: admin.listen: a change takes effect only when the whole server is stopped and started; mend what it names, and ask again [restart_failed]\n',
  })
  expect([started.pids('owner'), started.pids('worker')]).toEqual([owners, workers])

  writeFileSync(file, `drain: 7s\n${before}`)
  await started.restart()
  started.child.kill('SIGTERM')
  await until('the server ends', () => started.child.exitCode !== null)
  expect(started.errors()).toContain('SIGTERM, finishing running answers (7 s at most)')
})

it('a restart without the file by which the processes run reports that, and changes nothing', {
  timeout: LIMIT_MS,
}, async () => {
  const started = await startWorkers(yaml, 1)
  onTestFinished(() => started[Symbol.asyncDispose]())
  const workers = started.pids('worker')
  rmSync(join(started.folder, 'headgate.yaml'))
  const { errors } = await runHeadgate(['--data', 'data', 'restart'], { folder: started.folder })
  expect(errors).toContain(
    'not restarted, the previous processes go on: headgate.yaml: there is no such file',
  )
  expect(started.pids('worker')).toEqual(workers)
})

it('the processes of one file are listed with that file from their first moment on', {
  timeout: LIMIT_MS,
}, async () => {
  const started = await startWorkers(yaml, 1)
  onTestFinished(() => started[Symbol.asyncDispose]())
  const atStart = await started.admin('GET', '/nodes')
  await started.restart()
  const atRestart = await started.admin('GET', '/nodes')
  expect([atStart['files_differ'], atRestart['files_differ']]).toEqual([false, false])
})

it('a server of one process cannot be restarted by the command, and neither can a stopped one', {
  timeout: LIMIT_MS,
}, async () => {
  const started = await startProcess(yaml, {}, { startsWithinMs: LIMIT_MS })
  onTestFinished(() => started[Symbol.asyncDispose]())
  const one = await runHeadgate(['restart'], { folder: started.folder })
  expect(one.code).toBe(1)
  expect(one.errors).toContain(`(process ${started.child.pid}) has no supervisor`)
  expect(one.errors).toContain('--workers 1')
  const ended = new Promise((resolve) => started.child.once('exit', resolve))
  started.child.kill('SIGTERM')
  await ended
  const none = await runHeadgate(['restart'], { folder: started.folder })
  expect(none.code).toBe(1)
  expect(none.errors).toContain('no server runs on the data folder')
})
