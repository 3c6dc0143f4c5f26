import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { type FileRequest, fetchFile } from './fetch-file.ts'
import type { AddressGuard } from './guarded-connector.ts'
import { defaultUpstreamOptions, openUpstream } from './open-upstream.ts'

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(64)])

/** 127.0.0.1 stands for the public networks here, and 127.0.0.2 for what lies within ours. */
const guard: AddressGuard = { isAllowed: (address) => address === '127.0.0.1' }

async function openServer(listener: RequestListener, host = '127.0.0.1') {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return {
    asked,
    port,
    origin: `http://${host}:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function fetchFrom(url: string, more: Partial<FileRequest> = {}, signal = AbortSignal.timeout(5_000)) {
  const upstream = openUpstream({ ...defaultUpstreamOptions, guard: more.allowPrivate ? {} : guard })
  await using _closing = { [Symbol.asyncDispose]: () => upstream.close() }
  return await fetchFile(upstream, { ...requestFor(url), ...more }, signal)
}

function requestFor(url: string): FileRequest {
  return {
    url,
    maxBytes: 1_000,
    reserveBytes: () => true,
    allowPrivate: false,
    connectTimeoutMs: 1_000,
    userAgent: 'headgate/test',
    mediaTypePrefix: 'image/',
  }
}

it('fetches a file, and detects its type from its bytes instead of the content-type header', async () => {
  await using server = await openServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(PNG),
  )
  const file = await fetchFrom(`${server.origin}/a.png?size=1`)
  expect(file).toEqual({ mediaType: 'image/png', bytes: PNG })
  expect(server.asked).toEqual(['/a.png?size=1'])
})

it('does not keep connections alive to addresses named by callers', async () => {
  let asked: string | undefined
  await using server = await openServer((request, response) => {
    asked = request.headers.connection
    response.end(PNG)
  })
  await fetchFrom(server.origin)
  expect(asked).toBe('close')
})

it('sends no credentials or cookies, and accepts no compression', async () => {
  let headers: NodeJS.Dict<string | string[]> = {}
  await using server = await openServer((request, response) => {
    headers = request.headers
    response.end(PNG)
  })
  await fetchFrom(server.origin)
  expect(Object.keys(headers).toSorted()).toEqual([
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ])
  expect(headers['accept-encoding']).toBe('identity')
})

it('follows up to three redirects', async () => {
  await using server = await openServer((request, response) => {
    const left = Number(request.url?.slice(1))
    if (left === 0) response.end(PNG)
    else response.writeHead(302, { location: `/${left - 1}` }).end()
  })
  expect((await fetchFrom(`${server.origin}/3`)).mediaType).toBe('image/png')
  await expect(fetchFrom(`${server.origin}/4`)).rejects.toThrow('is redirected too often')
})

it('does not follow a redirect into a private network', async () => {
  await using secret = await openServer((_request, response) => response.end(PNG), '127.0.0.2')
  await using server = await openServer((_request, response) =>
    response.writeHead(302, { location: `${secret.origin}/meta` }).end(),
  )
  await expect(fetchFrom(server.origin)).rejects.toThrow('cannot be reached at a public address')
  expect(secret.asked).toEqual([])
})

it.each([
  'file:///etc/passwd',
  'ftp://127.0.0.1/a.png',
  'data:image/png,x',
  '//127.0.0.1/',
  'http://u:p@127.0.0.1/a',
])('refuses %s, as the first address and as a redirect', async (location) => {
  await using server = await openServer((request, response) =>
    request.url === '/start'
      ? response.writeHead(307, { location: location.startsWith('//') ? 'gopher:x' : location }).end()
      : response.end(PNG),
  )
  await expect(fetchFrom(`${server.origin}/start`)).rejects.toThrow(/has no http|user name/)
  await expect(fetchFrom(location)).rejects.toThrow(/has no http|user name/)
  expect(server.asked).toEqual(['/start'])
})

it('connects to the checked address, even if the name resolves differently the second time', async () => {
  await using server = await openServer((_request, response) => response.end(PNG))
  await using secret = await openServer((_request, response) => response.end(PNG), '127.0.0.2')
  let lookUps = 0
  const upstream = openUpstream({
    ...defaultUpstreamOptions,
    guard: {
      ...guard,
      resolve: (_name, _options, callback) => {
        lookUps += 1
        callback(null, [{ address: lookUps === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }])
      },
    },
  })
  await using _closing = { [Symbol.asyncDispose]: () => upstream.close() }
  const request = {
    maxBytes: 1_000,
    reserveBytes: () => true,
    allowPrivate: false,
    connectTimeoutMs: 1_000,
    userAgent: 'headgate/test',
    mediaTypePrefix: 'image/',
  }
  const first = { ...request, url: `http://pictures.example:${server.port}/` }
  expect((await fetchFile(upstream, first, AbortSignal.timeout(5_000))).mediaType).toBe('image/png')
  const second = { ...request, url: `http://pictures.example:${secret.port}/` }
  await expect(fetchFile(upstream, second, AbortSignal.timeout(5_000))).rejects.toThrow('cannot be reached')
  expect(secret.asked).toEqual([])
})

it.each(['127.0.0.2', '[::ffff:7f00:2]', '2130706434', '0x7f.2', '10.0.0.1', '169.254.169.254'])(
  'does not connect to %s',
  async (host) => {
    await using secret = await openServer((_request, response) => response.end(PNG), '127.0.0.2')
    await expect(fetchFrom(`http://${host}:${secret.port}/`)).rejects.toThrow('cannot be reached')
    expect(secret.asked).toEqual([])
  },
)

it('aborts a file that is too large, with or without a content length', async () => {
  let written = 0
  await using server = await openServer((request, response) => {
    if (request.url === '/said') {
      response.writeHead(200, { 'content-length': 5_000 }).end(Buffer.alloc(5_000))
      return
    }
    const send = () => {
      written += 1
      if (!response.destroyed && written < 100_000) response.write(PNG, send)
    }
    send()
  })
  await expect(fetchFrom(`${server.origin}/said`)).rejects.toThrow('is larger than 0 KB')
  await expect(fetchFrom(`${server.origin}/unsaid`)).rejects.toThrow('is larger than 0 KB')
  expect(written).toBeLessThan(100_000)
})

it('aborts a slow server with the reason of the signal', async () => {
  await using server = await openServer((_request, response) => {
    response.write(PNG.subarray(0, 4))
    const drip = setInterval(() => response.write('.'), 10)
    response.on('close', () => clearInterval(drip))
  })
  const stop = new AbortController()
  const late = fetchFrom(server.origin, {}, stop.signal)
  await expect.poll(() => server.asked).toHaveLength(1)
  stop.abort(new Error('late'))
  await expect(late).rejects.toThrow('late')
})

it.each([
  { what: 'a page', body: '<!doctype html><img>', reason: 'is not a file of a type' },
  { what: 'a file of another kind', body: '%PDF-1.7', reason: 'is not a file of a type' },
  { what: 'an error', body: PNG, status: 404, reason: 'is answered with status 404' },
  { what: 'a redirect to nowhere', body: '', status: 302, reason: 'is answered with status 302' },
  { what: 'what is compressed', body: PNG, encoding: 'gzip', reason: 'is sent compressed' },
])('refuses $what', async ({ body, status = 200, encoding, reason }) => {
  await using server = await openServer((_request, response) =>
    response.writeHead(status, encoding === undefined ? {} : { 'content-encoding': encoding }).end(body),
  )
  await expect(fetchFrom(server.origin)).rejects.toThrow(reason)
})

it('fails if the answer is cut off', async () => {
  await using server = await openServer((_request, response) => {
    response.writeHead(200, { 'content-length': PNG.length }).write(PNG.subarray(0, 20))
    setImmediate(() => response.destroy())
  })
  await expect(fetchFrom(server.origin)).rejects.toThrow('cannot be reached')
})
