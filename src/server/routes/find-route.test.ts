import { describe, expect, it } from 'vitest'
import type { ServerRoute } from '../route.ts'
import { createRouteFinder } from './find-route.ts'

const route = (method: ServerRoute['method'], path: string): ServerRoute => ({
  method,
  path,
  type: 'reply',
  policy: 'anyone',
  handle: () => ({ status: 200, body: '' }),
})

const finder = createRouteFinder([
  route('GET', '/v1/models'),
  route('GET', '/v1/models/*'),
  route('POST', '/v1/models/*'),
  route('POST', '/v1/responses/compact'),
  route('GET', '/v1/responses/:id'),
  route('DELETE', '/v1/responses/:id'),
  route('POST', '/v1/responses/:id/cancel'),
])

function find(method: string, path: string) {
  const found = finder.find(method, path)
  return found === undefined || found === 'bad-escape'
    ? found
    : { path: found.route.path, params: found.params }
}

describe('a route', () => {
  it('without a policy is refused, even if a type error is suppressed', () => {
    const { policy: _policy, ...open } = route('GET', '/admin/v1/keys')
    // @ts-expect-error The type has no route without a policy.
    expect(() => createRouteFinder([open])).toThrow(
      'the route GET /admin/v1/keys does not say who may call it',
    )
  })

  it('is found by its path', () => {
    expect(find('GET', '/v1/models')).toEqual({ path: '/v1/models', params: {} })
  })

  it('handles HEAD like GET', () => {
    expect(find('HEAD', '/v1/models')).toEqual({ path: '/v1/models', params: {} })
    expect(find('HEAD', '/v1/responses/a')).toEqual({ path: '/v1/responses/:id', params: { id: 'a' } })
  })

  it('captures the rest of a path, with plain or escaped slashes', () => {
    const vendor = { path: '/v1/models/*', params: { '*': 'vendor/name' } }
    expect(find('GET', '/v1/models/vendor/name')).toEqual(vendor)
    expect(find('GET', '/v1/models/vendor%2Fname')).toEqual(vendor)
  })

  it('captures a path segment by name, decoded', () => {
    expect(find('GET', '/v1/responses/a%20b')).toEqual({ path: '/v1/responses/:id', params: { id: 'a b' } })
    expect(find('POST', '/v1/responses/a/cancel')).toEqual({
      path: '/v1/responses/:id/cancel',
      params: { id: 'a' },
    })
  })

  it('is found if letters of its path are escaped', () => {
    expect(find('GET', '/v1/%6dodels')).toEqual({ path: '/v1/models', params: {} })
  })

  it.each([
    ['GET', '/v1/Models'],
    ['GET', '/v1/models2'],
    ['GET', '/v1%2Fmodels'],
    ['GET', '/v1/responses/'],
    ['GET', '/v1/responses/a/b'],
    ['GET', `/v1/responses/${'a'.repeat(513)}`],
    ['PUT', '/v1/models'],
    ['GET', ''],
  ])('is not found for %s %s', (method, path) => {
    expect(find(method, path)).toBeUndefined()
  })

  it.each(['/v1/%', '/v1/%zz', '/%ff'])('reports the bad escape in %s', (path) => {
    expect(find('GET', path)).toBe('bad-escape')
  })
})

describe('the allowed methods of a path', () => {
  it.each([
    ['/v1/models', ['GET', 'HEAD']],
    ['/v1/models/a', ['GET', 'HEAD', 'POST']],
    ['/v1/responses/a', ['DELETE', 'GET', 'HEAD']],
    ['/v1/responses/compact', ['DELETE', 'GET', 'HEAD', 'POST']],
    ['/nowhere', []],
  ])('are listed for %s', (path, methods) => {
    expect(finder.methodsOf(path)).toEqual(methods)
  })
})
