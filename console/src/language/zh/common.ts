import type { commonMessages } from '../en/common.ts'
import type { Translated } from '../en/messages.ts'

export const chineseCommonMessages: Translated<typeof commonMessages> = {
  'common.working': '正在处理',
  'common.loading': '正在加载',
  'common.close': '关闭',
  'common.cancel': '取消',
  'common.continue': '继续',
  'common.retry': '重试',
  'common.copy': '复制',
  'common.copied': '已复制',
  'common.name': '名称',
  'common.secret_once': '请立即复制。它只显示这一次，之后无法再查看。',
  'form.required': '请填写此项。',
  'form.optional': '选填',
  'form.restored': '这是页面重新加载之前您填写的内容。',
  'form.start_over': '重新填写',
  'form.remove_word': '移除 {word}',
  'form.number': '请填写数字，例如 10 或 0.5。',
  'form.whole_number': '请填写整数，例如 60。',
  'form.positive': '请填写大于零的数字。',
}
