/** The format's names by media type (API_runtime_ImageBlock.html and related pages, seen 2026-11-20). */
export const imageFormats: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/jpg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
])

export const videoFormats: ReadonlyMap<string, string> = new Map([
  ['video/mp4', 'mp4'],
  ['video/x-matroska', 'mkv'],
  ['video/quicktime', 'mov'],
  ['video/webm', 'webm'],
  ['video/x-flv', 'flv'],
  ['video/mpeg', 'mpeg'],
  ['video/x-ms-wmv', 'wmv'],
  ['video/3gpp', 'three_gp'],
])

export const documentFormats: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/csv', 'csv'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['text/html', 'html'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
])

/** The media type for a name of the format. An unknown name becomes the subtype, such as `image/avif`. */
export function mediaTypeOf(formats: ReadonlyMap<string, string>, format: string, kind: string): string {
  const found = [...formats].find(([, name]) => name === format)
  return found?.[0] ?? `${kind}/${format}`
}

/** The name of the format of a file in S3 by the ending of its address. Undefined for another address or ending. */
export function formatOfAddress(uri: string, formats: ReadonlyMap<string, string>): string | undefined {
  const ending = /^s3:\/\/.+\.([a-z0-9]+)$/i.exec(uri)?.[1]?.toLowerCase()
  return [...formats.values()].find((name) => name === (ending === 'jpg' ? 'jpeg' : ending))
}
