import { GatewayError } from '../../canonical/failure.ts'
import type { Exchanged, ReplyRoute, RouteReply } from '../route.ts'
import type { ConsoleFile, ConsoleFiles } from './console-files.ts'

/** The files of the console, and whether they are on their way. */
export interface ConsoleSource {
  readonly files: ConsoleFiles
  /** Whether a build is under way, so that waiting helps. */
  readonly isBuilding: () => boolean
}

const ROOT = '/console'

/** The paths of the console: its files, and for every other path its page, which finds out what to show. */
export function createConsoleRoutes(source: ConsoleSource): readonly ReplyRoute[] {
  const route = {
    type: 'reply',
    method: 'GET',
    policy: 'anyone',
    handle: ({ context, params }: Pick<Exchanged, 'context' | 'params'>) =>
      serveConsole(source, {
        path: context.path,
        file: params['*'] ?? '',
        accepted: context.message.headers['accept-encoding'],
      }),
  } as const
  return [
    { ...route, path: ROOT },
    { ...route, path: `${ROOT}/*` },
  ]
}

interface AskedConsole {
  /** The path as received. */
  readonly path: string
  /** The rest of the path behind the root, decoded. */
  readonly file: string
  /** The header `Accept-Encoding`. */
  readonly accepted: string | undefined
}

async function serveConsole(
  { files, isBuilding }: ConsoleSource,
  { path, file, accepted }: AskedConsole,
): Promise<RouteReply> {
  const found = await files.find(file, accepted)
  if (found !== undefined) return writeFile(found)
  if (/(?:^assets\/|\.\w+$)/.test(file)) throw new GatewayError('path_not_found')
  const page = await files.page()
  return page === undefined ? writeAbsence(isBuilding()) : writePage(page, path)
}

/** A file's name holds a digest of its bytes, so that a browser never needs to ask for it again. */
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
 * The policy of the page, which may load and reach itself alone. Nothing in it is inline, neither scripts nor styles;
 * images may be those that a user attaches to a message. No text can become code (Trusted Types).
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
 * The page says where the console begins, relative to the path that was asked: whatever prefix a proxy takes away in
 * front of it, the browser knows.
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
