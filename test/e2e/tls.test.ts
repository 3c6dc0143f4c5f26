import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { type ConnectionOptions, connect } from 'node:tls'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { readCertificate, readIdentity } from '../support/certificate.ts'
import { launcher } from '../support/program/launcher.ts'
import { testKey } from '../support/start-gateway.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'
import { until } from '../support/until.ts'

const ca = readCertificate('ca.crt')
const yaml = `tls: { cert: server.crt, key: server.key }
keys: [{ name: test, secret: ${testKey} }]
channels: [{ name: demo, provider: demo }]
`

function startSecure(more = ''): Promise<StartedProcess> {
  const { cert, key } = readIdentity('first')
  return startProcess(yaml + more, { 'server.crt': cert, 'server.key': key })
}

function get(url: string, agent: Agent): Promise<{ readonly status: number; readonly name: string }> {
  return new Promise((done, fail) => {
    const call = request(url, { agent, ca, headers: { authorization: `Bearer ${testKey}` } }, (answer) => {
      const { socket } = answer
      const name =
        'getPeerCertificate' in socket && typeof socket.getPeerCertificate === 'function'
          ? String(socket.getPeerCertificate().subject?.CN)
          : ''
      answer.resume()
      answer.on('end', () => done({ status: answer.statusCode ?? 0, name }))
    })
    call.on('error', fail)
    call.end()
  })
}

/** The outcome of a handshake: what was agreed on, or the fault. */
function shake(url: string, options: ConnectionOptions): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((done) => {
    const socket = connect({ host: hostname, port: Number(port), ca, ...options })
    socket.once('secureConnect', () => {
      done(`${socket.getProtocol()} ${socket.alpnProtocol}`)
      socket.destroy()
    })
    socket.once('error', (error) => done('code' in error ? String(error.code) : error.message))
  })
}

it('callers are served over https with HTTP/1.1 and nothing older than TLS 1.2', async () => {
  await using gateway = await startSecure()
  expect(gateway.url).toMatch(/^https:/)
  expect(await get(`${gateway.url}/v1/models`, new Agent())).toEqual({ status: 200, name: 'first.test' })
  expect(await shake(gateway.url, { ALPNProtocols: ['h2', 'http/1.1'] })).toBe('TLSv1.3 http/1.1')
  expect(await shake(gateway.url, { maxVersion: 'TLSv1.2' })).toBe('TLSv1.2 false')
  expect(await shake(gateway.url, { ALPNProtocols: ['h2'] })).toMatch(/NO_APPLICATION_PROTOCOL|ECONNRESET/)
  const old: ConnectionOptions = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }
  expect(await shake(gateway.url, old)).toMatch(/PROTOCOL_VERSION|ECONNRESET/)
})

const oldSuites = [
  'AES128-SHA',
  'AES256-SHA256',
  'AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA',
]
const goodSuites = 'ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256'

it('TLS 1.2 uses only forward secrecy and authenticated encryption, after a reload as well', async () => {
  await using gateway = await startSecure()
  const offer = (ciphers: string) =>
    shake(gateway.url, { maxVersion: 'TLSv1.2', ciphers: `${ciphers}:@SECLEVEL=0` })
  for (const moment of ['start', 'reload']) {
    if (moment === 'reload') {
      renewCertificate(gateway)
      const { key } = readIdentity('second')
      writeFileSync(join(gateway.folder, 'server.key'), key)
      expect(await gateway.reload(yaml)).toContain('configuration reloaded')
    }
    expect(await offer(goodSuites)).toBe('TLSv1.2 false')
    for (const suite of oldSuites) expect(await offer(suite)).toMatch(/HANDSHAKE_FAILURE|ECONNRESET/)
  }
})

it('a caller that speaks plain http is disconnected', async () => {
  await using gateway = await startSecure()
  const { hostname, port } = new URL(gateway.url)
  const socket = connectTcp({ host: hostname, port: Number(port) })
  socket.on('error', () => undefined)
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
  socket.resume()
  await once(socket, 'close')
  expect(await get(`${gateway.url}/healthz`, new Agent())).toMatchObject({ status: 200 })
})

it('another certificate is sent after SIGHUP, and open connections continue', async () => {
  await using gateway = await startSecure()
  const stored = new Agent({ keepAlive: true, maxSockets: 1 })
  expect(await get(`${gateway.url}/v1/models`, stored)).toEqual({ status: 200, name: 'first.test' })
  const { cert, key } = readIdentity('second')
  writeFileSync(join(gateway.folder, 'server.crt'), cert)
  expect(await gateway.reload(yaml)).toMatch(
    /not reloaded.*headgate\.yaml:3:31: tls\.key: the private key is not that/,
  )
  expect(await get(`${gateway.url}/v1/models`, new Agent())).toEqual({ status: 200, name: 'first.test' })
  writeFileSync(join(gateway.folder, 'server.key'), key)
  expect(await gateway.reload(yaml)).toContain('configuration reloaded')
  expect(await get(`${gateway.url}/v1/models`, stored)).toEqual({ status: 200, name: 'first.test' })
  expect(await get(`${gateway.url}/v1/models`, new Agent())).toEqual({ status: 200, name: 'second.test' })
  stored.destroy()
})

async function headgate({ folder }: StartedProcess, ...words: readonly string[]): Promise<string> {
  const line = [launcher, '--data', join(folder, 'data'), ...words]
  try {
    const { stdout } = await promisify(execFile)(process.execPath, line, { cwd: folder })
    return stdout
  } catch (error) {
    return error instanceof Error && 'stderr' in error ? `failed: ${String(error.stderr)}` : String(error)
  }
}

it('commands reach the server by the certificate that it recorded, and no other', async () => {
  await using gateway = await startSecure()
  expect(await headgate(gateway, 'health')).toBe(`${gateway.url}/healthz: 200\n`)
  expect(await headgate(gateway, 'health', '--ready')).toBe(`${gateway.url}/readyz: 200\n`)
  expect(await headgate(gateway, 'keys', 'list')).toContain('test')
  const file = join(gateway.folder, 'data', 'server.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), certificate: 'AB:CD' }))
  expect(await headgate(gateway, 'keys', 'list')).toContain('a certificate that is not the one')
  expect(await headgate(gateway, 'health')).toContain('a certificate that is not the one')
})

it('a stopped server is not healthy', async () => {
  await using gateway = await startSecure()
  gateway.child.kill('SIGKILL')
  await once(gateway.child, 'exit')
  expect(await headgate(gateway, 'health')).toMatch(/^failed: .*ECONNREFUSED/)
})

/** Puts the second certificate in the place of the first. */
function renewCertificate({ folder }: StartedProcess): void {
  const { cert, key } = readIdentity('second')
  writeFileSync(join(folder, 'server.crt'), cert)
  writeFileSync(join(folder, 'server.key'), key)
}

const fingerprintOf = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8')).certificate
const shownAs = (name: 'first' | 'second') => new X509Certificate(readIdentity(name).cert).fingerprint256

it('a certificate that cannot be recorded for commands is refused, with all of its configuration file', async () => {
  await using gateway = await startSecure()
  renewCertificate(gateway)
  const file = join(gateway.folder, 'data', 'server.json')
  // In the place where the server file is made before it takes its name.
  const blocked = `${file}.${gateway.child.pid}.new`
  mkdirSync(blocked)
  expect(await gateway.reload(yaml.replace(testKey, 'sk-other-0123456789abcdef'))).toContain(
    `headgate: configuration not reloaded, the previous one stays in use: ${file} cannot be written: EISDIR`,
  )
  expect(await get(`${gateway.url}/v1/models`, new Agent())).toEqual({ status: 200, name: 'first.test' })
  expect(fingerprintOf(file)).toBe(shownAs('first'))
  rmSync(blocked, { recursive: true })
  expect(await gateway.reload(yaml)).toContain('configuration reloaded')
  expect(await get(`${gateway.url}/v1/models`, new Agent())).toEqual({ status: 200, name: 'second.test' })
  expect(fingerprintOf(file)).toBe(shownAs('second'))
})

it('a failed write of the server file reverts nothing, and the next change repairs it', async () => {
  await using gateway = await startSecure()
  renewCertificate(gateway)
  const file = join(gateway.folder, 'data', 'server.json')
  rmSync(file)
  mkdirSync(join(file, 'in the way'), { recursive: true })
  expect(await gateway.reload(yaml)).toContain('configuration reloaded')
  expect(await get(`${gateway.url}/v1/models`, new Agent())).toEqual({ status: 200, name: 'second.test' })
  await until('the operator is told', () => gateway.output().includes('server.json cannot be written'))
  rmSync(file, { recursive: true })
  expect(await gateway.reload(yaml)).toContain('configuration reloaded')
  expect(fingerprintOf(file)).toBe(shownAs('second'))
})
