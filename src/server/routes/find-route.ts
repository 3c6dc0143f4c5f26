import { tryDecodeUri } from '../../kit/bytes/try-decode-uri.ts'
import type { ServerRoute } from '../route.ts'
import { requirePolicies } from './require-policies.ts'

export interface FoundRoute {
  readonly route: ServerRoute
  /** The named segments of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
}

/** Finds the route of a method and a path. */
export interface RouteFinder {
  /** Undefined if no route matches. */
  find(method: string, path: string): FoundRoute | 'bad-escape' | undefined
  /** The methods of the routes on this path, for the Allow header. Empty if there is no such path. */
  methodsOf(path: string): readonly string[]
  /** The paths without parameters below this path, for a caller of another one. Sorted. */
  pathsBelow(path: string): readonly string[]
}

/** The maximum length of a segment. No ID and no name in a path is longer. */
const MAX_SEGMENT_CHARACTERS = 512

const noParams = {}

/** Creates a finder for the routes. Throws `route_table_invalid` if a route has no policy. */
export function createRouteFinder(routes: readonly ServerRoute[]): RouteFinder {
  requirePolicies(routes)
  return new RouteTable(routes)
}

class RouteTable implements RouteFinder {
  /** The routes without parameters, by path and method. They serve nearly all requests, and need one look-up. */
  readonly #plain = new Map<string, Map<string, FoundRoute>>()
  readonly #patterns: Pattern[] = []

  constructor(routes: readonly ServerRoute[]) {
    for (const route of routes) {
      if (/[:*]/.test(route.path)) {
        this.#patterns.push({ route, segments: route.path.split('/') })
        continue
      }
      const methods = this.#plain.get(route.path) ?? new Map<string, FoundRoute>()
      this.#plain.set(route.path, methods.set(route.method, { route, params: noParams }))
    }
    // A named segment has priority over the rest of a path.
    this.#patterns.sort((left, right) => Number(isRest(left)) - Number(isRest(right)))
  }

  find(method: string, path: string): FoundRoute | 'bad-escape' | undefined {
    const found = this.#findPlain(method, path)
    if (found !== undefined) return found
    const segments = decode(path)
    if (segments === undefined) return 'bad-escape'
    return this.#findPlain(method, joinSegments(segments)) ?? this.#findPattern(method, segments)
  }

  methodsOf(path: string): readonly string[] {
    const segments = decode(path) ?? []
    const methods = new Set(this.#plain.get(joinSegments(segments))?.keys())
    for (const { route, segments: wanted } of this.#patterns) {
      if (match(wanted, segments) !== undefined) methods.add(route.method)
    }
    if (methods.has('GET')) methods.add('HEAD')
    return [...methods].sort()
  }

  pathsBelow(path: string): readonly string[] {
    return [...this.#plain.keys()].filter((each) => each.startsWith(path)).sort()
  }

  #findPlain(method: string, path: string): FoundRoute | undefined {
    const methods = this.#plain.get(path)
    return methods?.get(method) ?? (method === 'HEAD' ? methods?.get('GET') : undefined)
  }

  #findPattern(method: string, segments: readonly string[]): FoundRoute | undefined {
    for (const { route, segments: wanted } of this.#patterns) {
      if (route.method !== method && !(method === 'HEAD' && route.method === 'GET')) continue
      const params = match(wanted, segments)
      if (params !== undefined) return { route, params }
    }
    return undefined
  }
}

interface Pattern {
  readonly route: ServerRoute
  readonly segments: readonly string[]
}

function isRest({ segments }: Pattern): boolean {
  return segments.at(-1) === '*'
}

function match(
  wanted: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const hasRest = wanted.at(-1) === '*'
  if (hasRest ? segments.length < wanted.length : segments.length !== wanted.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, want] of wanted.entries()) {
    const segment = segments[index] ?? ''
    if (want === '*' && hasRest && index === wanted.length - 1) params['*'] = segments.slice(index).join('/')
    else if (!want.startsWith(':')) {
      if (segment !== want) return undefined
    } else {
      if (segment === '' || segment.length > MAX_SEGMENT_CHARACTERS) return undefined
      params[want.slice(1)] = segment
    }
  }
  return params
}

/**
 * The path of decoded segments. If a segment contains an escaped slash, it is the empty path, which matches no route:
 * an escaped slash does not separate segments.
 */
function joinSegments(segments: readonly string[]): string {
  return segments.some((segment) => segment.includes('/')) ? '' : segments.join('/')
}

/** Undefined if an escape is invalid. */
function decode(path: string): readonly string[] | undefined {
  const segments = path.split('/')
  if (!path.includes('%')) return segments
  const decoded = segments.map(tryDecodeUri)
  return decoded.every((segment) => segment !== undefined) ? decoded : undefined
}
