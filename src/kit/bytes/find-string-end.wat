;; Finds where the text of a JSON string ends, 64 bytes at a time, without a branch for each escape. Written to
;; string-end-module.ts by `node scripts/write-string-end.ts`.
;;
;; Bit n of a set stands for byte n of the block at hand. How escaped bytes are found by one subtraction is explained in
;; "Parsing Gigabytes of JSON per Second" (Langdale and Lemire, 2019, section 3.1.1).
(module
  ;; 128 KB: 64 KB for a piece of a body, and room to read a block at its very end.
  (memory (export "memory") 2 2)

  (func $isHex (param $byte i32) (result i32)
    (i32.or
      (i32.lt_u (i32.sub (local.get $byte) (i32.const 0x30)) (i32.const 10))
      (i32.lt_u (i32.sub (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x61)) (i32.const 6))))

  ;; Whether `u` and four hex digits lie here.
  (func $isUnicode (param $at i32) (result i32)
    (i32.and
      (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x75))
      (i32.and
        (i32.and
          (call $isHex (i32.load8_u offset=1 (local.get $at)))
          (call $isHex (i32.load8_u offset=2 (local.get $at))))
        (i32.and
          (call $isHex (i32.load8_u offset=3 (local.get $at)))
          (call $isHex (i32.load8_u offset=4 (local.get $at)))))))

  ;; From $at, which lies in a string and not within an escape: the offset of its closing quote, of a control
  ;; character, or of a backslash whose escape is not valid or not whole before $end; $end where there is none of them.
  (func (export "findStringEnd") (param $at i32) (param $end i32) (result i32)
    (local $bytes v128)
    (local $slashes i64)   ;; backslashes
    (local $stops i64)     ;; quotes and control characters, then only where the text stops
    (local $escaped i64)   ;; what follows a backslash that is not escaped itself
    (local $valid i64)     ;; what may follow a backslash, `u` aside
    (local $begun i64)     ;; backslashes that are not escaped by the block before
    (local $carried i64)   ;; 1 where the first byte of the block is escaped
    (local $left i32)
    (loop $next
      (if (i32.ge_u (local.get $at) (local.get $end)) (then
        (return (i32.sub (local.get $end) (i32.wrap_i64 (local.get $carried))))))
      (local.set $slashes (i64.const 0))
      (local.set $stops (i64.const 0))
      (local.set $bytes (v128.load (local.get $at)))
      (local.set $slashes (i64.or (local.get $slashes) (i64.shl
        (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c)))))
        (i64.const 0))))
      (local.set $stops (i64.or (local.get $stops) (i64.shl
        (i64.extend_i32_u (i8x16.bitmask (v128.or
          (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
          (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20))))))
        (i64.const 0))))
      (local.set $bytes (v128.load offset=16 (local.get $at)))
      (local.set $slashes (i64.or (local.get $slashes) (i64.shl
        (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c)))))
        (i64.const 16))))
      (local.set $stops (i64.or (local.get $stops) (i64.shl
        (i64.extend_i32_u (i8x16.bitmask (v128.or
          (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
          (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20))))))
        (i64.const 16))))
      (local.set $bytes (v128.load offset=32 (local.get $at)))
      (local.set $slashes (i64.or (local.get $slashes) (i64.shl
        (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c)))))
        (i64.const 32))))
      (local.set $stops (i64.or (local.get $stops) (i64.shl
        (i64.extend_i32_u (i8x16.bitmask (v128.or
          (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
          (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20))))))
        (i64.const 32))))
      (local.set $bytes (v128.load offset=48 (local.get $at)))
      (local.set $slashes (i64.or (local.get $slashes) (i64.shl
        (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c)))))
        (i64.const 48))))
      (local.set $stops (i64.or (local.get $stops) (i64.shl
        (i64.extend_i32_u (i8x16.bitmask (v128.or
          (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
          (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20))))))
        (i64.const 48))))

      (local.set $escaped (local.get $carried))
      (if (i64.ne (i64.or (local.get $slashes) (local.get $carried)) (i64.const 0)) (then
        (local.set $begun (i64.and (local.get $slashes) (i64.xor (local.get $carried) (i64.const -1))))
        (local.set $escaped (i64.xor
          (i64.sub
            (i64.or (i64.shl (local.get $begun) (i64.const 1)) (i64.const 0xaaaaaaaaaaaaaaaa))
            (local.get $begun))
          (i64.const 0xaaaaaaaaaaaaaaaa)))
        (local.set $begun (i64.and (local.get $escaped) (local.get $slashes)))
        (local.set $escaped (i64.xor (local.get $escaped) (i64.or (local.get $slashes) (local.get $carried))))
        (local.set $carried (i64.shr_u (local.get $begun) (i64.const 63)))
        (local.set $valid (i64.const 0))
        (local.set $bytes (v128.load (local.get $at)))
        (local.set $valid (i64.or (local.get $valid) (i64.shl
            (i64.extend_i32_u (i8x16.bitmask (i8x16.ne
              (v128.const i64x2 0 0)
              (v128.and
                (i8x16.swizzle
                  (v128.const i8x16 0 0 13 0 8 0 4 0 0 0 0 0 2 0 4 1)
                  (v128.and (local.get $bytes) (i8x16.splat (i32.const 0x0f))))
                (i8x16.swizzle
                  (v128.const i8x16 0 0 1 0 0 2 4 8 0 0 0 0 0 0 0 0)
                  (i8x16.shr_u (local.get $bytes) (i32.const 4)))))))
            (i64.const 0))))
        (local.set $bytes (v128.load offset=16 (local.get $at)))
        (local.set $valid (i64.or (local.get $valid) (i64.shl
            (i64.extend_i32_u (i8x16.bitmask (i8x16.ne
              (v128.const i64x2 0 0)
              (v128.and
                (i8x16.swizzle
                  (v128.const i8x16 0 0 13 0 8 0 4 0 0 0 0 0 2 0 4 1)
                  (v128.and (local.get $bytes) (i8x16.splat (i32.const 0x0f))))
                (i8x16.swizzle
                  (v128.const i8x16 0 0 1 0 0 2 4 8 0 0 0 0 0 0 0 0)
                  (i8x16.shr_u (local.get $bytes) (i32.const 4)))))))
            (i64.const 16))))
        (local.set $bytes (v128.load offset=32 (local.get $at)))
        (local.set $valid (i64.or (local.get $valid) (i64.shl
            (i64.extend_i32_u (i8x16.bitmask (i8x16.ne
              (v128.const i64x2 0 0)
              (v128.and
                (i8x16.swizzle
                  (v128.const i8x16 0 0 13 0 8 0 4 0 0 0 0 0 2 0 4 1)
                  (v128.and (local.get $bytes) (i8x16.splat (i32.const 0x0f))))
                (i8x16.swizzle
                  (v128.const i8x16 0 0 1 0 0 2 4 8 0 0 0 0 0 0 0 0)
                  (i8x16.shr_u (local.get $bytes) (i32.const 4)))))))
            (i64.const 32))))
        (local.set $bytes (v128.load offset=48 (local.get $at)))
        (local.set $valid (i64.or (local.get $valid) (i64.shl
            (i64.extend_i32_u (i8x16.bitmask (i8x16.ne
              (v128.const i64x2 0 0)
              (v128.and
                (i8x16.swizzle
                  (v128.const i8x16 0 0 13 0 8 0 4 0 0 0 0 0 2 0 4 1)
                  (v128.and (local.get $bytes) (i8x16.splat (i32.const 0x0f))))
                (i8x16.swizzle
                  (v128.const i8x16 0 0 1 0 0 2 4 8 0 0 0 0 0 0 0 0)
                  (i8x16.shr_u (local.get $bytes) (i32.const 4)))))))
            (i64.const 48))))

        (local.set $stops (i64.or
          (i64.and (local.get $stops) (i64.xor (local.get $escaped) (i64.const -1)))
          (i64.and (local.get $escaped) (i64.xor (local.get $valid) (i64.const -1)))))))

      (local.set $left (i32.sub (local.get $end) (local.get $at)))
      (if (i32.lt_u (local.get $left) (i32.const 64)) (then
        (local.set $stops (i64.and (local.get $stops)
          (i64.sub (i64.shl (i64.const 1) (i64.extend_i32_u (local.get $left))) (i64.const 1))))
        ;; Whether what comes after the end is escaped.
        (local.set $carried (i64.and (i64.const 1)
          (i64.shr_u (local.get $escaped) (i64.extend_i32_u (local.get $left)))))))
      (if (i64.eqz (local.get $stops)) (then
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br $next)))

      (local.set $stops (i64.ctz (local.get $stops)))
      (local.set $at (i32.add (local.get $at) (i32.wrap_i64 (local.get $stops))))
      (if (i64.eqz (i64.and (i64.const 1) (i64.shr_u (local.get $escaped) (local.get $stops))))
        (then (return (local.get $at))))
      (if (i32.gt_u (i32.add (local.get $at) (i32.const 5)) (local.get $end))
        (then (return (i32.sub (local.get $at) (i32.const 1)))))
      (if (i32.eqz (call $isUnicode (local.get $at)))
        (then (return (i32.sub (local.get $at) (i32.const 1)))))
      (local.set $at (i32.add (local.get $at) (i32.const 5)))
      (local.set $carried (i64.const 0))
      (br $next))
    (unreachable)))
