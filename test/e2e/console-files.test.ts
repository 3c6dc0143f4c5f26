import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type StartedGateway, startGateway } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'
const script = 'export const text = "the script of the console"\n'.repeat(20)
const page =
  '<!doctype html><html><head><script type="module" src="./assets/main-1a2b.js"></script></head></html>'

interface ConsoleFolder {
  readonly folder: string
  build(): void
}

/** A folder as the build leaves it, beside a file that the console must not serve. */
function makeConsole(): ConsoleFolder {
  const folder = join(makeTemporaryFolder(), 'console')
  writeFileSync(join(folder, '..', 'secret.js'), 'a secret')
  const build = () => {
    mkdirSync(join(folder, 'assets'), { recursive: true })
    const path = 'assets/main-1a2b.js'
    writeFileSync(join(folder, 'index.html'), page)
    writeFileSync(join(folder, path), script)
    writeFileSync(join(folder, `${path}.br`), brotliCompressSync(script))
    writeFileSync(join(folder, `${path}.gz`), gzipSync(script))
    writeFileSync(join(folder, 'assets', 'unlisted.js'), 'not listed')
    const files = { [path]: { type: 'text/javascript; charset=utf-8', codings: ['br', 'gzip'] } }
    writeFileSync(join(folder, 'files.json'), JSON.stringify({ page: 'index.html', files }))
  }
  return { folder, build }
}

async function openConsole({ isBuilding = false, isBuilt = true, yaml = demo } = {}) {
  const made = makeConsole()
  if (isBuilt) made.build()
  const consoleBuild = { folder: made.folder, isBuilding: () => isBuilding }
  const gateway = await startGateway(yaml, undefined, { consoleBuild })
  onTestFinished(() => gateway[Symbol.asyncDispose]())
  return { gateway, made }
}

/** Asks as it is written: `fetch` would resolve dots and choose codings itself. */
function ask({ app }: StartedGateway, path: string, headers: Readonly<Record<string, string>> = {}) {
  const { port } = app.adminAddress ?? app.address
  return new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: Buffer }>(
    (resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
        const { statusCode: status = 0 } = response
        buffer(response).then((body) => resolve({ status, headers: response.headers, body }), reject)
      })
      sent.on('error', reject).end()
    },
  )
}

describe('a page of the console', () => {
  it.each([
    ['/console', 'console/'],
    ['/console/', './'],
    ['/console/keys', './'],
    ['/console/requests/req_1', '../'],
    ['/console/models/a%2Fb/prices', '../../'],
  ])('states the base path of the console, whatever prefix a proxy removed: %s', async (path, base) => {
    const { gateway } = await openConsole()
    const { status, body } = await ask(gateway, path)
    expect(status).toBe(200)
    expect(body.toString()).toContain(`<head><base href="${base}"><script`)
    const outside = new URL(`https://models.example.com/prefix${path}`)
    expect(new URL(base, outside).pathname).toBe('/prefix/console/')
  })

  it('may load and call only its own origin, has no inline code, and is never stored', async () => {
    const { gateway } = await openConsole()
    const { headers, body } = await ask(gateway, '/console/keys')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(body.toString()).not.toMatch(/<script>|<style|style=|on\w+=/)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    })
  })

  it('is refused for an unknown host name', async () => {
    const { gateway } = await openConsole()
    expect((await ask(gateway, '/console', { host: 'evil.test' })).status).toBe(421)
  })

  it('is served only by the admin listener, if there is one', async () => {
    const { gateway } = await openConsole({ yaml: `admin: { listen: 127.0.0.1:0 }\n${demo}` })
    expect((await ask(gateway, '/console')).status).toBe(200)
    expect((await fetch(`${gateway.url}/console`)).status).toBe(404)
  })
})

describe('a file of the console', () => {
  const path = '/console/assets/main-1a2b.js'

  it.each([
    [undefined, undefined],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.000', undefined],
    ['identity', undefined],
  ])('is sent in the densest encoding that the browser accepts: %s', async (accepted, coding) => {
    const { gateway } = await openConsole()
    const answer = await ask(gateway, path, accepted === undefined ? {} : { 'accept-encoding': accepted })
    expect(answer.headers['content-encoding']).toBe(coding)
    const expected = { br: brotliCompressSync(script), gzip: gzipSync(script) }
    const bytes = coding === 'br' || coding === 'gzip' ? expected[coding] : Buffer.from(script)
    expect(answer.body.equals(bytes)).toBe(true)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    })
  })

  it.each([
    '/console/assets/../../secret.js',
    '/console/../secret.js',
    '/console/..%2fsecret.js',
    '/console/%2e%2e/secret.js',
    '/console/assets/..%5c..%5csecret.js',
    '/console/assets/unlisted.js',
    '/console/assets/main-1a2b.js.gz',
    '/console/files.json',
    '/console/index.html',
    '/console//etc/passwd.js',
    '/console/assets/main-1a2b.js%00.txt',
    '/console/constructor.js',
  ])('is served only if the build listed it, and no path leads to another file: %s', async (other) => {
    const { gateway } = await openConsole()
    const { status, body } = await ask(gateway, other)
    expect([404, 400]).toContain(status)
    expect(body.toString()).not.toMatch(/secret(?!\.js)|not listed|root:/)
  })

  it.each(['/console/__proto__', '/console/constructor', '/console/toString'])(
    'is not found by a name that every object has: %s',
    async (other) => {
      const { gateway } = await openConsole()
      expect((await ask(gateway, other)).body.toString()).toContain('<base')
    },
  )
})

describe('a missing console', () => {
  it('says that it is being built, and appears once it is', async () => {
    needsOneProcess('the processes run the package, which has a console')
    const { gateway, made } = await openConsole({ isBuilding: true, isBuilt: false })
    const before = await ask(gateway, '/console')
    expect(before.status).toBe(503)
    expect(before.headers['retry-after']).toBe('2')
    expect(before.body.toString()).toContain('being built')
    expect(before.body.toString()).toContain('http-equiv="refresh"')
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
    made.build()
    expect((await ask(gateway, '/console')).status).toBe(200)
    rmSync(made.folder, { recursive: true })
    expect((await ask(gateway, '/console/assets/main-1a2b.js')).status).toBe(404)
  })

  it('says how to build it if no build is running', async () => {
    needsOneProcess('the processes run the package, which has a console')
    const { gateway } = await openConsole({ isBuilt: false })
    const { status, body } = await ask(gateway, '/console/keys')
    expect(status).toBe(503)
    expect(body.toString()).toContain('npm ci &amp;&amp; npm run build')
    expect(body.toString()).not.toContain('refresh')
  })
})
