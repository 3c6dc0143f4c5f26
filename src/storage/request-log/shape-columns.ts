/** The columns of shapes that hold text and are empty where a request has no such name. */
export const shapeNameColumns = [
  'key_id',
  'key_name',
  'user_name',
  'group_name',
  'format',
  'model',
  'channel',
  'upstream_model',
] as const

/** All columns of the table `shapes` except its ID, in the order in which both databases write them. */
export const shapeColumns = [...shapeNameColumns, 'status', 'error', 'is_stream', 'duration_class'] as const
