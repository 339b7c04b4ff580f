;; Operands between patterns and panels (`operand.ts`): a matrix of rows x columns, row-major, f64 an element, against
;; [panels][rows][lanes], filled with zeros beyond the columns.
(module
  (memory (import "" "memory") 1)

  ;; Patterns of a format decoded. `kind` says what is stored: 0 f64, 1 f32, and of carriers that are residues 2 u32, 3 u64.
  ;; An alignment exponent, i16, at `exponents` unless that is 0.
  (func (export "decode")
    (param $from i32) (param $rows i32) (param $columns i32) (param $lanes i32) (param $into i32) (param $exponents i32) (param $kind i32)
    (param $padding i32) (param $fraction i32) (param $sign i32) (param $special i32) (param $infinity i32) (param $bias i32)
    (local $t i32) (local $r i32) (local $s i32) (local $width i32) (local $p i32) (local $magnitude i32) (local $e i32)
    (local $x f64) (local $unit f64) (local $at i32)
    (local $ps v128) (local $magnitudes v128) (local $es v128) (local $special4 v128) (local $infinite v128) (local $signs v128) (local $lo v128) (local $hi v128)
    (local $units v128) (local $mask v128)
    (local.set $unit (f64.reinterpret_i64 (i64.shl (i64.extend_i32_s (i32.sub (i32.const 2046) (local.get $bias))) (i64.const 52))))
    (local.set $units (f64x2.splat (local.get $unit)))
    (local.set $mask (i32x4.splat (i32.sub (i32.shl (i32.const 1) (local.get $sign)) (i32.const 1))))
    (loop $panel
      (local.set $width (i32.sub (local.get $columns) (i32.mul (local.get $t) (local.get $lanes))))
      (if (i32.gt_s (local.get $width) (local.get $lanes)) (then (local.set $width (local.get $lanes))))
      (local.set $r (i32.const 0))
      (loop $row
        (local.set $at (i32.add (local.get $from)
          (i32.shl (i32.add (i32.mul (local.get $r) (local.get $columns)) (i32.mul (local.get $t) (local.get $lanes))) (i32.const 3))))
        (local.set $s (i32.const 0))
        ;; four patterns at a time, as the one below
        (if (i32.lt_u (local.get $kind) (i32.const 2)) (then (block $few (loop $four
          (br_if $few (i32.gt_s (i32.add (local.get $s) (i32.const 4)) (local.get $width)))
          ;; an integer is the low word of its sum with 2^52
          (local.set $ps (i32x4.shr_u
            (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
              (f64x2.add (v128.load (local.get $at)) (v128.const f64x2 4503599627370496 4503599627370496))
              (f64x2.add (v128.load offset=16 (local.get $at)) (v128.const f64x2 4503599627370496 4503599627370496)))
            (local.get $padding)))
          (local.set $magnitudes (v128.and (local.get $ps) (local.get $mask)))
          (local.set $special4 (i32x4.ge_u (local.get $magnitudes) (i32x4.splat (local.get $special))))
          (local.set $lo (f64x2.mul (local.get $units)
            (i64x2.shl (i64x2.extend_low_i32x4_u (local.get $magnitudes)) (i32.sub (i32.const 52) (local.get $fraction)))))
          (local.set $hi (f64x2.mul (local.get $units)
            (i64x2.shl (i64x2.extend_high_i32x4_u (local.get $magnitudes)) (i32.sub (i32.const 52) (local.get $fraction)))))
          (if (v128.any_true (local.get $special4))
            (then
              (local.set $infinite (i32x4.eq (local.get $magnitudes) (i32x4.splat (local.get $infinity))))
              (local.set $lo (v128.bitselect
                (v128.bitselect (v128.const f64x2 inf inf) (v128.const f64x2 nan nan) (i64x2.extend_low_i32x4_s (local.get $infinite)))
                (local.get $lo) (i64x2.extend_low_i32x4_s (local.get $special4))))
              (local.set $hi (v128.bitselect
                (v128.bitselect (v128.const f64x2 inf inf) (v128.const f64x2 nan nan) (i64x2.extend_high_i32x4_s (local.get $infinite)))
                (local.get $hi) (i64x2.extend_high_i32x4_s (local.get $special4))))))
          (local.set $signs (i32x4.shr_u (local.get $ps) (local.get $sign)))
          (local.set $lo (v128.xor (local.get $lo) (i64x2.shl (i64x2.extend_low_i32x4_u (local.get $signs)) (i32.const 63))))
          (local.set $hi (v128.xor (local.get $hi) (i64x2.shl (i64x2.extend_high_i32x4_u (local.get $signs)) (i32.const 63))))
          (if (local.get $kind)
            (then
              (v128.store (local.get $into) (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23
                (f32x4.demote_f64x2_zero (local.get $lo)) (f32x4.demote_f64x2_zero (local.get $hi))))
              (local.set $into (i32.add (local.get $into) (i32.const 16))))
            (else
              (v128.store (local.get $into) (local.get $lo))
              (v128.store offset=16 (local.get $into) (local.get $hi))
              (local.set $into (i32.add (local.get $into) (i32.const 32)))))
          (if (local.get $exponents)
            (then
              (local.set $es (i32x4.sub
                (i32x4.max_s (i32x4.shr_u (local.get $magnitudes) (local.get $fraction)) (v128.const i32x4 1 1 1 1))
                (i32x4.splat (local.get $bias))))
              (local.set $es (v128.bitselect (v128.const i32x4 -2000 -2000 -2000 -2000) (local.get $es)
                (i32x4.eq (local.get $magnitudes) (v128.const i32x4 0 0 0 0))))
              (local.set $es (v128.bitselect (v128.const i32x4 8000 8000 8000 8000) (local.get $es) (local.get $special4)))
              (v128.store64_lane 0 (local.get $exponents) (i16x8.narrow_i32x4_s (local.get $es) (local.get $es)))
              (local.set $exponents (i32.add (local.get $exponents) (i32.const 8)))))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (local.set $s (i32.add (local.get $s) (i32.const 4)))
          (br $four)))))
        (block $full (loop $lane
          (br_if $full (i32.ge_u (local.get $s) (local.get $lanes)))
          (local.set $x (f64.const 0))
          (local.set $e (i32.const -2000))
          (if (i32.lt_s (local.get $s) (local.get $width))
            (then
              (local.set $x (f64.load (local.get $at)))
              (if (i32.lt_u (local.get $kind) (i32.const 2))
                (then
                  (local.set $p (i32.shr_u (i32.trunc_sat_f64_u (local.get $x)) (local.get $padding)))
                  (local.set $magnitude (i32.and (local.get $p) (i32.sub (i32.shl (i32.const 1) (local.get $sign)) (i32.const 1))))
                  (if (i32.lt_u (local.get $magnitude) (local.get $special))
                    (then
                      ;; the fraction and exponent fields as those of an f64, which is 2^(1023 - bias) too small
                      (local.set $x (f64.mul (local.get $unit)
                        (f64.reinterpret_i64 (i64.shl (i64.extend_i32_u (local.get $magnitude)) (i64.extend_i32_u (i32.sub (i32.const 52) (local.get $fraction)))))))
                      (if (local.get $magnitude)
                        (then
                          (local.set $e (i32.shr_u (local.get $magnitude) (local.get $fraction)))
                          (local.set $e (i32.sub (select (local.get $e) (i32.const 1) (local.get $e)) (local.get $bias))))))
                    (else
                      (local.set $e (i32.const 8000))
                      (local.set $x (select (f64.const inf) (f64.const nan) (i32.eq (local.get $magnitude) (local.get $infinity))))))
                  (if (i32.and (i32.shr_u (local.get $p) (local.get $sign)) (i32.const 1))
                    (then (local.set $x (f64.neg (local.get $x)))))))))
          (block $stored
            (block $u64 (block $u32 (block $f32 (block $f64 (br_table $f64 $f32 $u32 $u64 (local.get $kind)))
              (f64.store (local.get $into) (local.get $x))
              (local.set $into (i32.add (local.get $into) (i32.const 8)))
              (br $stored))
            (f32.store (local.get $into) (f32.demote_f64 (local.get $x)))
            (local.set $into (i32.add (local.get $into) (i32.const 4)))
            (br $stored))
            (i32.store (local.get $into) (i32.trunc_sat_f64_u (local.get $x)))
            (local.set $into (i32.add (local.get $into) (i32.const 4)))
            (br $stored))
            (i64.store (local.get $into) (i64.trunc_sat_f64_u (local.get $x)))
            (local.set $into (i32.add (local.get $into) (i32.const 8))))
          (if (local.get $exponents)
            (then
              (i32.store16 (local.get $exponents) (local.get $e))
              (local.set $exponents (i32.add (local.get $exponents) (i32.const 2)))))
          (local.set $at (i32.add (local.get $at) (i32.const 8)))
          (local.set $s (i32.add (local.get $s) (i32.const 1)))
          (br $lane)))
        (br_if $row (i32.lt_u (local.tee $r (i32.add (local.get $r) (i32.const 1))) (local.get $rows))))
      (local.set $t (i32.add (local.get $t) (i32.const 1)))
      (br_if $panel (i32.lt_u (i32.mul (local.get $t) (local.get $lanes)) (local.get $columns)))))

  ;; Panels as a matrix of carriers. `kind` says what is read: 0 f64, made a pattern of f32; 1 f64, made a pattern of f16; 2 f32, as it is;
  ;; 3 u64. A NaN is left as it is of kinds 0 and 1, and is the one pattern of kind 2. The result is the number of NaNs left.
  (func (export "encode")
    (param $from i32) (param $rows i32) (param $columns i32) (param $lanes i32) (param $into i32) (param $kind i32) (result i32)
    (local $t i32) (local $r i32) (local $s i32) (local $width i32) (local $x f64) (local $y f32) (local $high i32) (local $at i32) (local $left i32)
    (local $a v128) (local $b v128) (local $same v128)
    (loop $panel
      (local.set $width (i32.sub (local.get $columns) (i32.mul (local.get $t) (local.get $lanes))))
      (if (i32.gt_s (local.get $width) (local.get $lanes)) (then (local.set $width (local.get $lanes))))
      (local.set $r (i32.const 0))
      (loop $row
        (local.set $at (i32.add (local.get $into)
          (i32.shl (i32.add (i32.mul (local.get $r) (local.get $columns)) (i32.mul (local.get $t) (local.get $lanes))) (i32.const 3))))
        (local.set $s (i32.const 0))
        ;; four at a time, as the one below, of kinds 0 and 2
        (if (i32.eqz (i32.and (local.get $kind) (i32.const 1))) (then (block $few (loop $four
          (br_if $few (i32.gt_s (i32.add (local.get $s) (i32.const 4)) (local.get $width)))
          (local.set $a (v128.load (local.get $from)))
          (if (local.get $kind)
            (then
              (local.set $a (v128.bitselect (local.get $a) (v128.const i32x4 0x7fffffff 0x7fffffff 0x7fffffff 0x7fffffff)
                (f32x4.eq (local.get $a) (local.get $a))))
              (v128.store (local.get $at) (f64x2.convert_low_i32x4_u (local.get $a)))
              (v128.store offset=16 (local.get $at) (f64x2.convert_low_i32x4_u
                (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $a) (local.get $a))))
              (local.set $from (i32.add (local.get $from) (i32.const 16))))
            (else
              (local.set $same (f64x2.eq (local.get $a) (local.get $a)))
              (v128.store (local.get $at)
                (v128.bitselect (f64x2.convert_low_i32x4_u (f32x4.demote_f64x2_zero (local.get $a))) (local.get $a) (local.get $same)))
              (local.set $left (i32.sub (i32.add (local.get $left) (i32.const 2)) (i32.popcnt (i64x2.bitmask (local.get $same)))))
              (local.set $b (v128.load offset=16 (local.get $from)))
              (local.set $same (f64x2.eq (local.get $b) (local.get $b)))
              (v128.store offset=16 (local.get $at)
                (v128.bitselect (f64x2.convert_low_i32x4_u (f32x4.demote_f64x2_zero (local.get $b))) (local.get $b) (local.get $same)))
              (local.set $left (i32.sub (i32.add (local.get $left) (i32.const 2)) (i32.popcnt (i64x2.bitmask (local.get $same)))))
              (local.set $from (i32.add (local.get $from) (i32.const 32)))))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (local.set $s (i32.add (local.get $s) (i32.const 4)))
          (br $four)))))
        (block $full (loop $lane
          (br_if $full (i32.ge_u (local.get $s) (local.get $lanes)))
          (if (i32.lt_s (local.get $s) (local.get $width))
            (then
              (block $stored
                (block $u64 (block $same (block $half (block $single (br_table $single $half $same $u64 (local.get $kind)))
                  (local.set $x (f64.load (local.get $from)))
                  (if (f64.eq (local.get $x) (local.get $x))
                    (then (local.set $x (f64.convert_i32_u (i32.reinterpret_f32 (f32.demote_f64 (local.get $x))))))
                    (else (local.set $left (i32.add (local.get $left) (i32.const 1)))))
                  (br $stored))
                (local.set $x (f64.load (local.get $from)))
                (if (f64.eq (local.get $x) (local.get $x))
                  (then
                    (if (f64.ne (local.get $x) (f64.const 0))
                      (then
                        (local.set $high (i32.wrap_i64 (i64.shr_u (i64.reinterpret_f64 (local.get $x)) (i64.const 32))))
                        (local.set $x (f64.convert_i32_u (i32.or
                          (i32.and (i32.shr_u (local.get $high) (i32.const 16)) (i32.const 0x8000))
                          (i32.sub (i32.and (i32.shr_u (local.get $high) (i32.const 10)) (i32.const 0x1fffff)) (i32.const 1032192))))))))
                  (else (local.set $left (i32.add (local.get $left) (i32.const 1)))))
                (br $stored))
                (local.set $y (f32.load (local.get $from)))
                (local.set $x (select (f64.convert_i32_u (i32.reinterpret_f32 (local.get $y))) (f64.const 0x7fffffff)
                  (f32.eq (local.get $y) (local.get $y))))
                (br $stored))
                (local.set $x (f64.convert_i64_u (i64.load (local.get $from)))))
              (f64.store (local.get $at) (local.get $x))))
          (local.set $from (i32.add (local.get $from) (select (i32.const 4) (i32.const 8) (i32.eq (local.get $kind) (i32.const 2)))))
          (local.set $at (i32.add (local.get $at) (i32.const 8)))
          (local.set $s (i32.add (local.get $s) (i32.const 1)))
          (br $lane)))
        (br_if $row (i32.lt_u (local.tee $r (i32.add (local.get $r) (i32.const 1))) (local.get $rows))))
      (local.set $t (i32.add (local.get $t) (i32.const 1)))
      (br_if $panel (i32.lt_u (i32.mul (local.get $t) (local.get $lanes)) (local.get $columns))))
    (local.get $left)))
