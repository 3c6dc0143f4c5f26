import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { createGate } from '../support/gate.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'
import { startProcess } from '../support/start-process.ts'
import { until } from '../support/until.ts'

/** Code of the process's own that throws where nothing can catch it, on a signal. */
function throwingOnSignal(code: string) {
  const script = encodeURIComponent(`process.on("SIGUSR2", () => { ${code} })`)
  return { environment: { NODE_OPTIONS: `--import=data:text/javascript,${script}` } }
}

const keys = `keys: [{ name: test, secret: ${testKey}, models: ["*"] }]\n`

it.each([
  ['an event', 'throw new Error("planted")'],
  ['a promise', 'void Promise.reject(new Error("planted"))'],
])(
  'an uncaught fault of %s drains the process, which ends with an exit code that supervisors restart',
  async (source, code) => {
    const gate = createGate()
    const begun = createGate()
    const { frames, bytes } = sampleStreams.chat
    const stream = sseAnswer([...frames.slice(0, 4), gate.opened, ...frames.slice(4)])
    await using upstream = await openScriptedUpstream(stream)
    const channel = channelYaml({ name: 'one', format: 'chat', origin: upstream.origin, models: ['m'] })
    await using gateway = await startProcess(keys + channel, {}, throwingOnSignal(code))
    const target = { url: gateway.url, format: 'chat' } as const
    const live = ask(target, streamRequest('m'), { onBytes: begun.open })
    await begun.opened
    const ended = once(gateway.child, 'exit')
    gateway.child.kill('SIGUSR2')
    await until('the process drains', () => gateway.errors().includes('finishing running answers'))
    gateway.child.kill('SIGUSR2')
    expect((await ask(target, streamRequest('m'))).status).toBe(503)
    gate.open()
    const { body, isCut } = await live
    expect([body.toString(), isCut]).toEqual([bytes.toString(), false])
    expect(await ended).toEqual([70, null])
    const faults = gateway
      .output()
      .split('\n')
      .filter((line) => line.includes('internal fault'))
      .map((line): { readonly level: number; readonly msg: string } => JSON.parse(line))
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatchObject({ level: 50 })
    expect(faults[0]?.msg).toMatch(new RegExp(`^internal fault in ${source}: Error: planted\\n +at `))
    expect(gateway.errors()).toContain('headgate: internal fault (planted; the log has its stack), finishing')
  },
)

it('a fault that repeats ends the process at once', async () => {
  const again = 'setInterval(()=>{throw new Error("planted")},1)'
  await using gateway = await startProcess(
    'channels: [{ name: demo, provider: demo }]\n',
    {},
    throwingOnSignal(again),
  )
  gateway.child.kill('SIGUSR2')
  expect(await once(gateway.child, 'exit')).toEqual([70, null])
})

it('after the exit code the systemd unit and the compose file start the process again', () => {
  expect(readFileSync('deploy/headgate.service', 'utf8')).toMatch(/^Restart=(on-failure|always)$/m)
  expect(readFileSync('deploy/compose.yaml', 'utf8')).toMatch(/^ {4}restart: (unless-stopped|always)$/m)
})
