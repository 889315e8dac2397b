; ModuleID
source_filename = "a.cc"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: mustprogress nounwind uwtable
define dso_local void @_Z4pairRK1IRK1JR1FRK1P(ptr nocapture noundef nonnull readonly align 8 dereferenceable(32) %0, ptr nocapture noundef nonnull readonly align 8 dereferenceable(32) %1, ptr nocapture noundef nonnull align 8 dereferenceable(24) %2, ptr nocapture noundef nonnull readonly align 8 dereferenceable(8) %3) local_unnamed_addr #0 !dbg !13 {
    #dbg_value(ptr %0, !48, !DIExpression(), !60)
    #dbg_value(ptr %1, !49, !DIExpression(), !60)
    #dbg_value(ptr %2, !50, !DIExpression(), !60)
    #dbg_value(ptr %3, !51, !DIExpression(), !60)
  %5 = getelementptr inbounds i8, ptr %0, i64 28, !dbg !61
  %6 = load i32, ptr %5, align 4, !dbg !61, !tbaa !63
  %7 = getelementptr inbounds i8, ptr %1, i64 28, !dbg !69
  %8 = load i32, ptr %7, align 4, !dbg !69, !tbaa !70
  %9 = icmp eq i32 %6, %8, !dbg !72
  br i1 %9, label %72, label %10, !dbg !73

10:                                               ; preds = %4
    #dbg_value(double 0.000000e+00, !52, !DIExpression(), !60)
    #dbg_value(i64 0, !53, !DIExpression(), !74)
  %11 = load double, ptr %1, align 8, !dbg !75, !tbaa !76
  %12 = load double, ptr %0, align 8, !dbg !78, !tbaa !76
  %13 = fsub double %11, %12, !dbg !79
  %14 = fptrunc double %13 to float, !dbg !75
    #dbg_value(float %14, !55, !DIExpression(), !80)
  %15 = fpext float %14 to double, !dbg !81
  %16 = fmul double %15, %15, !dbg !82
    #dbg_value(double %16, !52, !DIExpression(), !60)
    #dbg_value(i64 1, !53, !DIExpression(), !74)
  %17 = getelementptr inbounds i8, ptr %1, i64 8, !dbg !75
  %18 = load double, ptr %17, align 8, !dbg !75, !tbaa !76
  %19 = getelementptr inbounds i8, ptr %0, i64 8, !dbg !78
  %20 = load double, ptr %19, align 8, !dbg !78, !tbaa !76
  %21 = fsub double %18, %20, !dbg !79
  %22 = fptrunc double %21 to float, !dbg !75
    #dbg_value(float %22, !55, !DIExpression(), !80)
  %23 = fpext float %22 to double, !dbg !81
  %24 = fmul double %23, %23, !dbg !82
  %25 = fadd double %16, %24, !dbg !83
    #dbg_value(double %25, !52, !DIExpression(), !60)
    #dbg_value(i64 2, !53, !DIExpression(), !74)
  %26 = getelementptr inbounds i8, ptr %1, i64 16, !dbg !75
  %27 = load double, ptr %26, align 8, !dbg !75, !tbaa !76
  %28 = getelementptr inbounds i8, ptr %0, i64 16, !dbg !78
  %29 = load double, ptr %28, align 8, !dbg !78, !tbaa !76
  %30 = fsub double %27, %29, !dbg !79
  %31 = fptrunc double %30 to float, !dbg !75
    #dbg_value(float %31, !55, !DIExpression(), !80)
  %32 = fpext float %31 to double, !dbg !81
  %33 = fmul double %32, %32, !dbg !82
  %34 = fadd double %25, %33, !dbg !83
    #dbg_value(double %34, !52, !DIExpression(), !60)
    #dbg_value(i64 3, !53, !DIExpression(), !74)
  %35 = fptrunc double %34 to float, !dbg !84
  %36 = tail call float @llvm.sqrt.f32(float %35), !dbg !85
  %37 = getelementptr inbounds i8, ptr %0, i64 24, !dbg !86
  %38 = load float, ptr %37, align 8, !dbg !86, !tbaa !87
  %39 = fdiv float %36, %38, !dbg !88
    #dbg_value(float %39, !59, !DIExpression(), !60)
  %40 = fcmp olt float %39, 1.000000e+00, !dbg !89
  br i1 %40, label %41, label %49, !dbg !91

41:                                               ; preds = %10
  %42 = load double, ptr %3, align 8, !dbg !92, !tbaa !93
  %43 = getelementptr inbounds i8, ptr %1, i64 24, !dbg !95
  %44 = load float, ptr %43, align 8, !dbg !95, !tbaa !96
  %45 = fpext float %44 to double, !dbg !97
  %46 = fmul double %42, %45, !dbg !98
  %47 = load double, ptr %2, align 8, !dbg !99, !tbaa !100
  %48 = fadd double %47, %46, !dbg !99
  store double %48, ptr %2, align 8, !dbg !99, !tbaa !100
  br label %56, !dbg !102

49:                                               ; preds = %10
  %50 = fcmp olt float %39, 2.000000e+00, !dbg !103
  br i1 %50, label %51, label %56, !dbg !105

51:                                               ; preds = %49
    #dbg_value(float %39, !106, !DIExpression(), !112)
  %52 = tail call noundef float @gdr_rsqrt(float noundef %39) #4, !dbg !114
  %53 = fpext float %52 to double, !dbg !115
  %54 = load double, ptr %2, align 8, !dbg !116, !tbaa !100
  %55 = fsub double %54, %53, !dbg !116
  store double %55, ptr %2, align 8, !dbg !116, !tbaa !100
  br label %56, !dbg !117

56:                                               ; preds = %49, %51, %41
  %57 = getelementptr inbounds i8, ptr %2, i64 8, !dbg !118
  %58 = load float, ptr %57, align 8, !dbg !118, !tbaa !119
  %59 = tail call float @llvm.maxnum.f32(float %58, float %39), !dbg !120
  store float %59, ptr %57, align 8, !dbg !121, !tbaa !119
  %60 = getelementptr inbounds i8, ptr %2, i64 16, !dbg !122
  %61 = load double, ptr %60, align 8, !dbg !122, !tbaa !124
  %62 = fcmp olt double %34, %61, !dbg !125
  br i1 %62, label %63, label %64, !dbg !126

63:                                               ; preds = %56
  store double %34, ptr %60, align 8, !dbg !127, !tbaa !124
  br label %64, !dbg !128

64:                                               ; preds = %63, %56
  %65 = load i32, ptr %7, align 4, !dbg !129, !tbaa !70
  %66 = and i32 %65, 3, !dbg !130
  %67 = icmp eq i32 %66, 1, !dbg !131
  %68 = select i1 %67, i32 2, i32 0, !dbg !132
  %69 = getelementptr inbounds i8, ptr %2, i64 12, !dbg !133
  %70 = load i32, ptr %69, align 4, !dbg !134, !tbaa !135
  %71 = add nsw i32 %68, %70, !dbg !134
  store i32 %71, ptr %69, align 4, !dbg !134, !tbaa !135
  br label %72, !dbg !136

72:                                               ; preds = %4, %64
  ret void, !dbg !136
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.sqrt.f32(float) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maxnum.f32(float, float) #1

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) uwtable
define dso_local void @_Z11pair_finishR1F(ptr nocapture noundef nonnull align 8 dereferenceable(24) %0) local_unnamed_addr #2 !dbg !137 {
    #dbg_value(ptr %0, !141, !DIExpression(), !142)
  %2 = load double, ptr %0, align 8, !dbg !143, !tbaa !100
  %3 = fmul double %2, 5.000000e-01, !dbg !143
  store double %3, ptr %0, align 8, !dbg !143, !tbaa !100
  ret void, !dbg !144
}

declare !dbg !145 float @gdr_rsqrt(float noundef) local_unnamed_addr #3

attributes #0 = { mustprogress nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nounwind }

!llvm.dbg.cu = !{!0}
!llvm.linker.options = !{}
!llvm.module.flags = !{!5, !6, !7, !8, !9, !10, !11}
!llvm.ident = !{!12}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !2, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "a.cc", directory: ".", checksumkind: CSK_MD5, checksum: "cbe62a3329be6351fddfed25b0bcc086")
!2 = !{!3, !4}
!3 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!4 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!5 = !{i32 7, !"Dwarf Version", i32 5}
!6 = !{i32 2, !"Debug Info Version", i32 3}
!7 = !{i32 1, !"wchar_size", i32 4}
!8 = !{i32 8, !"PIC Level", i32 2}
!9 = !{i32 7, !"PIE Level", i32 2}
!10 = !{i32 7, !"uwtable", i32 2}
!11 = !{i32 7, !"debug-info-assignment-tracking", i1 true}
!12 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!13 = distinct !DISubprogram(name: "pair", linkageName: "_Z4pairRK1IRK1JR1FRK1P", scope: !14, file: !14, line: 6, type: !15, scopeLine: 6, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !47)
!14 = !DIFile(filename: "a.cc", directory: ".", checksumkind: CSK_MD5, checksum: "cbe62a3329be6351fddfed25b0bcc086")
!15 = !DISubroutineType(types: !16)
!16 = !{null, !17, !28, !35, !42}
!17 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !18, size: 64)
!18 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !19)
!19 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "I", file: !14, line: 2, size: 256, flags: DIFlagTypePassByValue, elements: !20, identifier: "_ZTS1I")
!20 = !{!21, !25, !26}
!21 = !DIDerivedType(tag: DW_TAG_member, name: "x", scope: !19, file: !14, line: 2, baseType: !22, size: 192)
!22 = !DICompositeType(tag: DW_TAG_array_type, baseType: !3, size: 192, elements: !23)
!23 = !{!24}
!24 = !DISubrange(count: 3)
!25 = !DIDerivedType(tag: DW_TAG_member, name: "h", scope: !19, file: !14, line: 2, baseType: !4, size: 32, offset: 192)
!26 = !DIDerivedType(tag: DW_TAG_member, name: "n", scope: !19, file: !14, line: 2, baseType: !27, size: 32, offset: 224)
!27 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!28 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !29, size: 64)
!29 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !30)
!30 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "J", file: !14, line: 3, size: 256, flags: DIFlagTypePassByValue, elements: !31, identifier: "_ZTS1J")
!31 = !{!32, !33, !34}
!32 = !DIDerivedType(tag: DW_TAG_member, name: "x", scope: !30, file: !14, line: 3, baseType: !22, size: 192)
!33 = !DIDerivedType(tag: DW_TAG_member, name: "m", scope: !30, file: !14, line: 3, baseType: !4, size: 32, offset: 192)
!34 = !DIDerivedType(tag: DW_TAG_member, name: "n", scope: !30, file: !14, line: 3, baseType: !27, size: 32, offset: 224)
!35 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !36, size: 64)
!36 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "F", file: !14, line: 4, size: 192, flags: DIFlagTypePassByValue, elements: !37, identifier: "_ZTS1F")
!37 = !{!38, !39, !40, !41}
!38 = !DIDerivedType(tag: DW_TAG_member, name: "sum", scope: !36, file: !14, line: 4, baseType: !3, size: 64)
!39 = !DIDerivedType(tag: DW_TAG_member, name: "most", scope: !36, file: !14, line: 4, baseType: !4, size: 32, offset: 64)
!40 = !DIDerivedType(tag: DW_TAG_member, name: "count", scope: !36, file: !14, line: 4, baseType: !27, size: 32, offset: 96)
!41 = !DIDerivedType(tag: DW_TAG_member, name: "near", scope: !36, file: !14, line: 4, baseType: !3, size: 64, offset: 128)
!42 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !43, size: 64)
!43 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !29)
!44 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "P", file: !14, line: 5, size: 64, flags: DIFlagTypePassByValue, elements: !45, identifier: "_ZTS1P")
!45 = !{!46}
!46 = !DIDerivedType(tag: DW_TAG_member, name: "s", scope: !44, file: !14, line: 5, baseType: !3, size: 64)
!47 = !{!48, !49, !50, !51, !52, !53, !55, !59}
!48 = !DILocalVariable(name: "i", arg: 1, scope: !13, file: !14, line: 6, type: !17)
!49 = !DILocalVariable(name: "j", arg: 2, scope: !13, file: !14, line: 6, type: !28)
!50 = !DILocalVariable(name: "f", arg: 3, scope: !13, file: !14, line: 6, type: !35)
!51 = !DILocalVariable(name: "p", arg: 4, scope: !13, file: !14, line: 6, type: !42)
!52 = !DILocalVariable(name: "r2", scope: !13, file: !14, line: 8, type: !3)
!53 = !DILocalVariable(name: "k", scope: !54, file: !14, line: 9, type: !27)
!54 = distinct !DILexicalBlock(scope: !13, file: !14, line: 9, column: 3)
!55 = !DILocalVariable(name: "d", scope: !56, file: !14, line: 9, type: !58)
!56 = distinct !DILexicalBlock(scope: !57, file: !14, line: 9, column: 31)
!57 = distinct !DILexicalBlock(scope: !54, file: !14, line: 9, column: 3)
!58 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !4)
!59 = !DILocalVariable(name: "q", scope: !13, file: !14, line: 10, type: !58)
!60 = !DILocation(line: 0, scope: !13)
!61 = !DILocation(line: 7, column: 9, scope: !62)
!62 = distinct !DILexicalBlock(scope: !13, file: !14, line: 7, column: 7)
!63 = !{!64, !68, i64 28}
!64 = !{!"_ZTS1I", !65, i64 0, !67, i64 24, !68, i64 28}
!65 = !{!"omnipotent char", !66, i64 0}
!66 = !{!"Simple C++ TBAA"}
!67 = !{!"float", !65, i64 0}
!68 = !{!"int", !65, i64 0}
!69 = !DILocation(line: 7, column: 16, scope: !62)
!70 = !{!71, !68, i64 28}
!71 = !{!"_ZTS1J", !65, i64 0, !67, i64 24, !68, i64 28}
!72 = !DILocation(line: 7, column: 11, scope: !62)
!73 = !DILocation(line: 7, column: 7, scope: !13)
!74 = !DILocation(line: 0, scope: !54)
!75 = !DILocation(line: 9, column: 49, scope: !56)
!76 = !{!77, !77, i64 0}
!77 = !{!"double", !65, i64 0}
!78 = !DILocation(line: 9, column: 58, scope: !56)
!79 = !DILocation(line: 9, column: 56, scope: !56)
!80 = !DILocation(line: 0, scope: !56)
!81 = !DILocation(line: 9, column: 92, scope: !56)
!82 = !DILocation(line: 9, column: 95, scope: !56)
!83 = !DILocation(line: 9, column: 69, scope: !56)
!84 = !DILocation(line: 10, column: 54, scope: !13)
!85 = !DILocation(line: 10, column: 19, scope: !13)
!86 = !DILocation(line: 10, column: 63, scope: !13)
!87 = !{!64, !67, i64 24}
!88 = !DILocation(line: 10, column: 59, scope: !13)
!89 = !DILocation(line: 11, column: 9, scope: !90)
!90 = distinct !DILexicalBlock(scope: !13, file: !14, line: 11, column: 7)
!91 = !DILocation(line: 11, column: 7, scope: !13)
!92 = !DILocation(line: 11, column: 25, scope: !90)
!93 = !{!94, !77, i64 0}
!94 = !{!"_ZTS1P", !77, i64 0}
!95 = !DILocation(line: 11, column: 31, scope: !90)
!96 = !{!71, !67, i64 24}
!97 = !DILocation(line: 11, column: 29, scope: !90)
!98 = !DILocation(line: 11, column: 27, scope: !90)
!99 = !DILocation(line: 11, column: 20, scope: !90)
!100 = !{!101, !77, i64 0}
!101 = !{!"_ZTS1F", !77, i64 0, !67, i64 8, !68, i64 12, !77, i64 16}
!102 = !DILocation(line: 11, column: 14, scope: !90)
!103 = !DILocation(line: 11, column: 45, scope: !104)
!104 = distinct !DILexicalBlock(scope: !90, file: !14, line: 11, column: 43)
!105 = !DILocation(line: 11, column: 43, scope: !90)
!106 = !DILocalVariable(name: "x", arg: 1, scope: !107, file: !14, line: 1, type: !4)
!107 = distinct !DISubprogram(name: "rsqrt", linkageName: "_ZN3gdr5rsqrtEf", scope: !108, file: !14, line: 1, type: !109, scopeLine: 1, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !111)
!108 = !DINamespace(name: "gdr", scope: null)
!109 = !DISubroutineType(types: !110)
!110 = !{!4, !4}
!111 = !{!106}
!112 = !DILocation(line: 0, scope: !107, inlinedAt: !113)
!113 = distinct !DILocation(line: 11, column: 59, scope: !104)
!114 = !DILocation(line: 1, column: 89, scope: !107, inlinedAt: !113)
!115 = !DILocation(line: 11, column: 59, scope: !104)
!116 = !DILocation(line: 11, column: 56, scope: !104)
!117 = !DILocation(line: 11, column: 50, scope: !104)
!118 = !DILocation(line: 12, column: 30, scope: !13)
!119 = !{!101, !67, i64 8}
!120 = !DILocation(line: 12, column: 12, scope: !13)
!121 = !DILocation(line: 12, column: 10, scope: !13)
!122 = !DILocation(line: 13, column: 14, scope: !123)
!123 = distinct !DILexicalBlock(scope: !13, file: !14, line: 13, column: 7)
!124 = !{!101, !77, i64 16}
!125 = !DILocation(line: 13, column: 10, scope: !123)
!126 = !DILocation(line: 13, column: 7, scope: !13)
!127 = !DILocation(line: 13, column: 27, scope: !123)
!128 = !DILocation(line: 13, column: 20, scope: !123)
!129 = !DILocation(line: 14, column: 17, scope: !13)
!130 = !DILocation(line: 14, column: 19, scope: !13)
!131 = !DILocation(line: 14, column: 24, scope: !13)
!132 = !DILocation(line: 14, column: 14, scope: !13)
!133 = !DILocation(line: 14, column: 5, scope: !13)
!134 = !DILocation(line: 14, column: 11, scope: !13)
!135 = !{!101, !68, i64 12}
!136 = !DILocation(line: 15, column: 1, scope: !13)
!137 = distinct !DISubprogram(name: "pair_finish", linkageName: "_Z11pair_finishR1F", scope: !14, file: !14, line: 16, type: !138, scopeLine: 16, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !140)
!138 = !DISubroutineType(types: !139)
!139 = !{null, !35}
!140 = !{!141}
!141 = !DILocalVariable(name: "f", arg: 1, scope: !137, file: !14, line: 16, type: !35)
!142 = !DILocation(line: 0, scope: !137)
!143 = !DILocation(line: 16, column: 32, scope: !137)
!144 = !DILocation(line: 16, column: 40, scope: !137)
!145 = !DISubprogram(name: "gdr_rsqrt", scope: !14, file: !14, line: 1, type: !109, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized)
