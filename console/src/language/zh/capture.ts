import type { captureMessages } from '../en/capture.ts'
import type { Translated } from '../en/messages.ts'

export const chineseCaptureMessages: Translated<typeof captureMessages> = {
  'capture.mark': '已捕获',
  'capture.label': '捕获',
  'capture.of.prompts': '捕获提示',
  'capture.of.answers': '捕获回答',
  'capture.of.both': '捕获提示与回答',
  'capture.title': '提示与回答',
  'capture.why': '内容已存储供查阅。每次查阅都会记入审计。',
  'capture.read': '查看',
  'capture.unreadable': '内容由另一个密钥封存，无法读取。',
  'capture.prompt': '提示',
  'capture.answer': '回答',
}
