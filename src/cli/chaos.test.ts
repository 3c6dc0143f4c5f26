import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createGate } from '../../test/support/gate.ts'
import { openRawClient, rawRequest } from '../../test/support/raw-client.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'
import { registerChaosCommand } from './chaos.ts'

function openCommand(listen = '127.0.0.1:0') {
  const said = { out: '', error: '', code: 0 }
  const end = createGate()
  const program = new Command('headgate').exitOverride()
  registerChaosCommand(program, {
    io: {
      write: (text) => {
        said.out += text
      },
      writeError: (text) => {
        said.error += text
      },
      isTerminal: false,
      setExitCode: (code) => {
        said.code = code
      },
    },
    listen: () => listen,
    untilEnd: () => end.opened,
  })
  const run = (...words: readonly string[]) => program.parseAsync(['node', 'headgate', 'chaos', ...words])
  const portIn = async () => {
    await until('it listens', () => /:\d+(,| to )/.test(said.error))
    return Number(/127\.0\.0\.1:(\d+)/.exec(said.error)?.[1])
  }
  return { said, end, run, portIn }
}

function scriptFile(text: string): string {
  const path = join(makeTemporaryFolder(), 'faults.yaml')
  writeFileSync(path, text)
  return path
}

const question = rawRequest('/v1/chat/completions', { model: 'm', messages: [] })

describe('headgate chaos', () => {
  it.each([['upstream'], ['proxy', '--to', '127.0.0.1:1']])(
    'names the port that is already in use: %s',
    async (...words) => {
      const other = createServer().listen(0, '127.0.0.1')
      await once(other, 'listening')
      onTestFinished(() => void other.close())
      const address = other.address()
      const port = typeof address === 'object' ? address?.port : undefined
      const { said, run } = openCommand(`127.0.0.1:${port}`)
      await run(...words)
      expect(said).toMatchObject({
        code: 1,
        error: `headgate: port ${port} is in use by another program; choose another with --listen 127.0.0.1:PORT [address_unavailable]\n  cause: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
      })
    },
  )

  it('serves an upstream that fails as the script says, and prints each request', async () => {
    const { said, end, run, portIn } = openCommand()
    const path = scriptFile('rules:\n  - when: { attempt: 1 }\n    do: { reply: { error: rate-limit } }\n')
    const running = run('upstream', '--script', path, '--seed', '7')
    const client = await openRawClient(await portIn())
    client.send(question)
    await client.until('HTTP/1.1 429')
    client.send(question)
    await client.until('HTTP/1.1 200')
    client.close()
    end.open()
    await running
    expect(said.error).toContain(', seed 7\n')
    expect(said.out).toMatch(
      /^1 POST \/v1\/chat\/completions m connection 1, rule 1: answered, \d+ bytes in \d+ ms\n2 /,
    )
  })

  it('prints the address to connect to for an address fault', async () => {
    const { said, end, run, portIn } = openCommand()
    const running = run('upstream', '--fault', 'F1-dns')
    await portIn()
    end.open()
    await running
    expect(said.error).toContain('connect to http://nowhere.invalid')
  })

  it('serves a ready-made script, with a proxy in front of it', async () => {
    const upstream = openCommand()
    const upstreamRun = upstream.run('upstream', '--fault', 'F17-401')
    const target = await upstream.portIn()
    const proxy = openCommand()
    const script = scriptFile('rules: [{ when: { connection: 2 }, do: { close: reset } }]')
    const proxyRun = proxy.run('proxy', '--to', `127.0.0.1:${target}`, '--script', script)
    const port = await proxy.portIn()
    const first = await openRawClient(port)
    first.send(question)
    await first.until('HTTP/1.1 401')
    const second = await openRawClient(port)
    expect(await second.ended).toBe('ECONNRESET')
    first.close()
    for (const each of [proxy, upstream]) each.end.open()
    await Promise.all([proxyRun, upstreamRun])
    expect(proxy.said.out).toMatch(/^connection 1 at \d+ ms\nconnection 2 at/)
  })

  it.each([
    [
      'rules: [{ do: { cut: { after: { words: -1 } } } }]',
      /faults\.yaml:1:\d+: rules\[0\]\.do\.cut\.after\.words/,
    ],
    ['rules: [{ do: { cutt: 1 } }]', /faults\.yaml:1:17: rules\[0\]\.do\.cutt: is not a known name/],
    ['rules: [', /faults\.yaml:1:\d+: not valid YAML/],
    ['answer: { pace: 5 }', /answer\.pace: must be a duration with its unit/],
  ])('reports what is wrong with a script, and where: %s', async (text, pattern) => {
    const { said, run } = openCommand()
    await run('upstream', '--script', scriptFile(text))
    expect(said.error).toMatch(pattern)
    expect(said.code).toBe(1)
  })

  it('lists what scripts can do and every ready-made script, and shows one script', async () => {
    const { said, run } = openCommand()
    await run('list')
    for (const part of ['never_read', 'F1-dns', 'F46-streaming']) expect(said.out).toContain(part)
    const shown = openCommand()
    await shown.run('show', 'F8-reset')
    expect(JSON.parse(shown.said.out)).toEqual({
      rules: [{ do: { cut: { after: { words: 10 }, by: 'reset' } } }],
    })
  })

  it.each([
    [['show', 'F99'], 'there is no ready-made script "F99"'],
    [['upstream', '--script', 'nowhere.yaml'], 'nowhere.yaml:1:1: cannot be read'],
    [['upstream', '--script', 'a', '--fault', 'b'], 'give --script or --fault, not both'],
  ])('refuses %j', async (words, message) => {
    const { said, run } = openCommand()
    await run(...words)
    expect([said.error.includes(message), said.code]).toEqual([true, 1])
  })
})
