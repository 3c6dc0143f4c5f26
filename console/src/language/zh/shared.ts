import type { Translated } from '../en/messages.ts'
import type { sharedMessages } from '../en/shared.ts'

export const chineseSharedMessages: Translated<typeof sharedMessages> = {
  'common.status': '状态',
  'name.credential': '密钥 {number}',
  'name.key.certification': '渠道测试',
  'name.key.playground': '试用页面',
  'list.more': '显示更多（还有 {count} 项）',
  'table.sort': '按{column}排序',
  'filter.label': '筛选',
  'filter.more': '筛选',
  'filter.clear': '清除 {count} 项筛选',
  'filter.none.advice': '请更改筛选条件，或清除后查看全部。',
  'lane.verbatim': '原样转发',
  'lane.translated': '经过转换',
  'lane.split': '拆为多次调用',
  'lane.here': '由网关直接回答',
  'owner.label': '定义位置',
  'owner.file': '文件',
  'owner.api': '控制台',
  'owner.environment': '环境变量',
  'owner.default': '默认值',
  'owner.file.advice': '此项属于配置文件。如需更改，请在文件中修改以下内容：',
  'owner.file.lines': '配置文件内容',
}
