import { GatewayError } from '../../canonical/failure.ts'
import type { Exchanged, ReplyRoute, RouteReply } from '../route.ts'
import type { ConsoleFile, ConsoleFiles } from './console-files.ts'

/** The files of the console, and whether a build is running. */
export interface ConsoleSource {
  readonly files: ConsoleFiles
  /** Whether a build is in progress, so that it helps to wait. */
  readonly isBuilding: () => boolean
}

const ROOT = '/console'

/** Creates the routes of the console: its files, and its page for every other path. The page decides what to show. */
export function createConsoleRoutes(source: ConsoleSource): readonly ReplyRoute[] {
  const route = {
    type: 'reply',
    method: 'GET',
    policy: 'anyone',
    handle: ({ head, params }: Pick<Exchanged, 'head' | 'params'>) =>
      serveConsole(source, {
        path: head.path,
        file: params['*'] ?? '',
        accepted: head.message.headers['accept-encoding'],
      }),
  } as const
  return [
    { ...route, path: ROOT },
    { ...route, path: `${ROOT}/*` },
  ]
}

interface ConsoleRequest {
  /** The path as received. */
  readonly path: string
  /** The rest of the path after the root, decoded. */
  readonly file: string
  /** The header `Accept-Encoding`. */
  readonly accepted: string | undefined
}

async function serveConsole(
  { files, isBuilding }: ConsoleSource,
  { path, file, accepted }: ConsoleRequest,
): Promise<RouteReply> {
  const found = await files.find(file, accepted)
  if (found !== undefined) return writeFile(found)
  if (isFilePath(file)) throw new GatewayError('path_not_found')
  const page = await files.page()
  return page === undefined ? writeAbsence(isBuilding()) : writePage(page, path)
}

/** Whether a path is that of a file. Below a page, it may end with the name of an object, such as `gpt-4.1`. */
function isFilePath(path: string): boolean {
  return path.startsWith('assets/') || (/\.\w+$/.test(path) && !/^[a-z-]+\//.test(path))
}

/** The name of a file contains a digest of its bytes, so a browser can cache the file permanently. */
function writeFile({ type, coding, bytes }: ConsoleFile): RouteReply {
  return {
    status: 200,
    headers: {
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      ...(coding !== undefined && { 'content-encoding': coding }),
    },
    body: bytes,
  }
}

/**
 * The content security policy of the page. The page may only load from and connect to its own origin. It has no inline
 * scripts or styles. Images may be those that a user attaches to a message. Text cannot become code (Trusted Types).
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const pageHeaders = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY }

/**
 * Writes the page with the base address of the console, relative to the requested path. The relative address is correct
 * even if a proxy removes a prefix of the path.
 */
function writePage(page: string, path: string): RouteReply {
  const depth = path.slice(ROOT.length).split('/').length - 1
  const base = depth === 0 ? 'console/' : '../'.repeat(depth - 1) || './'
  return { status: 200, headers: pageHeaders, body: page.replace('<head>', `<head><base href="${base}">`) }
}

const BUILDING_AGAIN_S = 2

function writeAbsence(isBuilding: boolean): RouteReply {
  const again = isBuilding ? `<meta http-equiv="refresh" content="${BUILDING_AGAIN_S}">` : ''
  const text = isBuilding
    ? [
        'The console is being built. This page shows it as soon as it is ready.',
        '控制台正在构建，完成后会自动显示。',
      ]
    : [
        'The console is not built here. In the folder of Headgate, run: npm ci &amp;&amp; npm run build',
        '此处尚未构建控制台。请在 Headgate 的目录中运行：npm ci &amp;&amp; npm run build',
      ]
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Headgate</title>${again}</head><body><p>${text[0]}</p><p lang="zh-CN">${text[1]}</p></body></html>`
  return { status: 503, headers: { ...pageHeaders, 'retry-after': String(BUILDING_AGAIN_S) }, body }
}
